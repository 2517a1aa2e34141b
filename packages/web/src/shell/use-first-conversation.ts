import { useEffect, useRef } from "react";
import type { ConversationList } from "../state/conversation-list.ts";
import { go, usePlace } from "../state/place.ts";
import type { Client } from "../wire/client.ts";
import type { Pass } from "../wire/pass.ts";
import { openWelcome } from "./welcome.ts";

type First = {
  pass: Pass;
  list: ConversationList;
  client: Client;
  onProblem: (error: unknown) => void;
};

/** Whoever comes without naming a conversation gets the last one, and the very first time a welcome. */
export function useFirstConversation({ pass, list, client, onProblem }: First): void {
  const place = usePlace();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const begin = async () => {
      await list.refresh();
      if (pass.conversation !== undefined || place.conversation !== undefined) return;
      const { conversations, problem } = list.get();
      if (conversations === undefined) throw new Error(problem);
      const newest = conversations.find(({ isClosed }) => !isClosed) ?? conversations[0];
      const conversation = newest?.id ?? (await openWelcome(client, pass));
      go({ conversation }, "replace");
      if (newest === undefined) await list.refresh();
    };
    begin().catch(onProblem);
  }, [pass, list, client, place, onProblem]);
}

/** The list shows titles and who spoke last: it is read again when that changes. */
export function useListThatFollows(
  refresh: () => Promise<void>,
  view: { title?: string; isClosed: boolean; id: string } | undefined,
) {
  const { title, isClosed, id } = view ?? {};
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these stands in the list
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    void refresh();
  }, [refresh, title, isClosed, id]);
}
