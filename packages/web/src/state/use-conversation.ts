import { useEffect, useState, useSyncExternalStore } from "react";
import { type Client, FloorProblem, problemText } from "../wire/client.ts";
import { actionsOf } from "./actions.ts";
import type { Scene } from "./context.ts";
import { ConversationStore } from "./conversation-store.ts";
import type { Actions } from "./types.ts";

export type Opening =
  | { kind: "none" }
  | { kind: "loading" }
  | { kind: "failed"; problem: string; isShutOut: boolean }
  | { kind: "open"; store: ConversationStore; actions: Actions };

/** The conversation with this id, from when it is wanted until another one is. */
export function useConversation(client: Client, id: string | undefined, me: string): [Opening, () => void] {
  const [opening, setOpening] = useState<Opening>({ kind: "none" });
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
        const isShutOut = error instanceof FloorProblem && error.isShutOut;
        if (isCurrent) setOpening({ kind: "failed", problem: problemText(error), isShutOut });
      },
    );
    return () => {
      isCurrent = false;
      opened?.close();
    };
  }, [client, id, me, attempt]);
  return [opening, () => setAttempt(attempt + 1)];
}

const nothing = () => undefined;
const never = () => () => undefined;

/** What is on the stage right now, if anything. */
export function useOpenScene(opening: Opening): Scene | undefined {
  const isOpen = opening.kind === "open";
  const conversation = useSyncExternalStore(
    isOpen ? opening.store.subscribe : never,
    isOpen ? opening.store.get : nothing,
  );
  return isOpen && conversation !== undefined ? { conversation, actions: opening.actions } : undefined;
}
