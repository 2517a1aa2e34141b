import type { Floor, FloorProblem } from "@plenary/client";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { errorText } from "../api/floor.ts";
import { floorOf, type Session } from "../api/session.ts";
import { actionsOf } from "./actions.ts";
import type { OpenConversation } from "./context.ts";
import { type ConversationStore, createConversationStore } from "./conversation-store.ts";

/** The floor of the page for this session. Undefined before the first effect. */
export function useFloor(session: Session, onUnauthorized: (problem: FloorProblem) => void): Floor | undefined {
  const [floor, setFloor] = useState<Floor>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another session is another floor
  useEffect(() => {
    const opened = floorOf(session, onUnauthorized);
    setFloor(opened);
    return () => void opened.close();
  }, [session]);
  return floor;
}

export type OpeningState =
  | { kind: "none" }
  | { kind: "loading" }
  | { kind: "failed"; problem: string; isDenied: boolean }
  | { kind: "open"; opened: OpenConversation };

const noChange = () => () => undefined;

/** Opens the conversation with this id and closes it when the id changes. */
export function useConversation(floor: Floor, id: string | undefined): [OpeningState, () => void] {
  const [store, setStore] = useState<ConversationStore>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens it again
  useEffect(() => {
    const opened = id === undefined ? undefined : createConversationStore(floor.conversation(id));
    setStore(opened);
    return opened?.close;
  }, [floor, id, attempt]);
  const state = useSyncExternalStore(store?.subscribe ?? noChange, () => store?.get());
  const actions = useMemo(() => store && id && actionsOf({ floor, id, store }), [floor, id, store]);
  const opening = ((): OpeningState => {
    if (id === undefined) return { kind: "none" };
    if (store === undefined || state?.id !== id || !actions) return { kind: "loading" };
    const { connection, problem } = store.snapshot();
    if (state.entries.length > 0) return { kind: "open", opened: { conversation: state, actions } };
    if (connection === "loading" && problem === undefined) return { kind: "loading" };
    return { kind: "failed", problem: errorText(problem), isDenied: problem?.isDenied === true };
  })();
  return [opening, () => setAttempt(attempt + 1)];
}
