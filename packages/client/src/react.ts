import { useEffect, useState, useSyncExternalStore } from "react";
import { type ConnectOptions, connect, type Floor } from "./connect.ts";
import type { Conversation } from "./conversation.ts";
import type { LiveConversation } from "./live.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";

export type FloorState = { floor?: Floor; problem?: unknown };

/** Connects once, and closes the connection with the component. */
export function useFloor(options: ConnectOptions): FloorState {
  const [state, setState] = useState<FloorState>({});
  const { url, token, invite, speaker } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new object with the same values is the same floor.
  useEffect(() => {
    const over = new AbortController();
    const connecting = connect({ ...options, signal: over.signal });
    connecting.then(
      (floor) => setState({ floor }),
      (problem: unknown) => over.signal.aborted || setState({ problem }),
    );
    return () => {
      over.abort();
      connecting.then((floor) => floor.close()).catch(() => undefined); // it was never open
    };
  }, [url, token, invite, speaker]);
  return state;
}

const nothing = () => () => {};

/** The live state of a conversation while the component is shown; undefined before the first effect. */
export function useConversation(conversation: Conversation | undefined): LiveSnapshot | undefined {
  const [live, setLive] = useState<LiveConversation>();
  useEffect(() => {
    const opened = conversation?.live();
    setLive(opened);
    return () => opened?.close();
  }, [conversation]);
  return useSyncExternalStore(live?.subscribe ?? nothing, () => live?.snapshot());
}
