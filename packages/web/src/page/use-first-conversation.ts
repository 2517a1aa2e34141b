import { useEffect, useRef } from "react";
import type { Client } from "../api/client.ts";
import { envelopeOf } from "../api/envelopes.ts";
import type { Session } from "../api/session.ts";
import type { ConversationView, FloorEvent } from "../api/types.ts";
import type { ConversationList } from "../state/conversation-list.ts";
import { navigate, usePageLocation } from "../state/location.ts";

type Options = {
  session: Session;
  list: ConversationList;
  client: Client;
  onProblem: (error: unknown) => void;
};

/** Opens the newest conversation when the address names none, and a welcome conversation when there is none. */
export function useFirstConversation({ session, list, client, onProblem }: Options): void {
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
      const conversation = newest?.id ?? (await openWelcomeConversation(client, session));
      navigate({ conversation }, "replace");
      if (newest === undefined) await list.refresh();
    };
    begin().catch(onProblem);
  }, [session, list, client, pageLocation, onProblem]);
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

/**
 * The first conversation of a new person, with the agents of this floor. Requests from two tabs create one
 * conversation.
 */
async function openWelcomeConversation(client: Client, { speakerUri, name }: Session): Promise<string> {
  const owner = { identification: { speakerUri, ...(name && { conversationalName: name }) } };
  const { invitedByDefault } = await client.get<{ invitedByDefault: string[] }>("/api/v1/agents");
  const { id, conversation } = await client.post<{ id: string; conversation: ConversationView }>(
    "/api/v1/conversations",
    { owner, title: "Welcome" },
    { "idempotency-key": `welcome ${speakerUri}` },
  );
  const invites = invitedByDefault.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  const isNew = conversation.conversants.length === 1;
  if (isNew && invites.length > 0) await client.post("/openfloor", envelopeOf(id, speakerUri, invites));
  return id;
}
