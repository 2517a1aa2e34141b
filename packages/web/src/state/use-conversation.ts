import { useEffect, useState, useSyncExternalStore } from "react";
import { type Client, errorText, RequestError } from "../api/client.ts";
import { type Actions, actionsOf } from "./actions.ts";
import type { OpenConversation } from "./context.ts";
import { ConversationStore } from "./conversation-store.ts";

export type OpeningState =
  | { kind: "none" }
  | { kind: "loading" }
  | { kind: "failed"; problem: string; isDenied: boolean }
  | { kind: "open"; store: ConversationStore; actions: Actions };

/** Opens the conversation with this id and closes it when the id changes. */
export function useConversation(client: Client, id: string | undefined, me: string): [OpeningState, () => void] {
  const [opening, setOpening] = useState<OpeningState>({ kind: "none" });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens it again
  useEffect(() => {
    if (id === undefined) {
      setOpening({ kind: "none" });
      return;
    }
    let isCurrent = true;
    let opened: ConversationStore | undefined;
    setOpening({ kind: "loading" });
    ConversationStore.open({ client, id, me }).then(
      (store) => {
        opened = store;
        if (isCurrent) setOpening({ kind: "open", store, actions: actionsOf({ client, id, me, store }) });
        else store.close();
      },
      (error: unknown) => {
        const isDenied = error instanceof RequestError && error.isDenied;
        if (isCurrent) setOpening({ kind: "failed", problem: errorText(error), isDenied });
      },
    );
    return () => {
      isCurrent = false;
      opened?.close();
    };
  }, [client, id, me, attempt]);
  return [opening, () => setAttempt(attempt + 1)];
}

const getNothing = () => undefined;
const subscribeToNothing = () => () => undefined;

/** State and actions of the opened conversation. */
export function useOpenedConversation(opening: OpeningState): OpenConversation | undefined {
  const isOpen = opening.kind === "open";
  const conversation = useSyncExternalStore(
    isOpen ? opening.store.subscribe : subscribeToNothing,
    isOpen ? opening.store.get : getNothing,
  );
  return isOpen && conversation !== undefined ? { conversation, actions: opening.actions } : undefined;
}
