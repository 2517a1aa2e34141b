import { useEffect, useRef } from "react";
import type { Session } from "../api/session.ts";
import type { ConversationList } from "../state/conversation-list.ts";
import { navigate, usePageLocation } from "../state/location.ts";

type Options = { session: Session; list: ConversationList; onProblem: (error: unknown) => void };

/** Opens the newest conversation when the address names none, and a welcome conversation when there is none. */
export function useFirstConversation({ session, list, onProblem }: Options): void {
  const pageLocation = usePageLocation();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const begin = async () => {
      await list.refresh();
      if (session.conversation !== undefined || pageLocation.conversation !== undefined) return;
      const { conversations, problem } = list.get();
      if (conversations === undefined) throw new Error(problem);
      const newest = conversations.find(({ isClosed }) => !isClosed) ?? conversations[0];
      const conversation = newest?.id ?? (await list.createWelcome());
      navigate({ conversation }, "replace");
      if (newest === undefined) await list.refresh();
    };
    begin().catch(onProblem);
  }, [session, list, pageLocation, onProblem]);
}

/** Reloads the list when the title or state of the open conversation changes. */
export function useRefreshedList(
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
