import type { DialledSocket } from "@plenary/sdk";
import { type FloorClient, isAccessDenied } from "../floor/client.ts";
import type { StreamFrame } from "../floor/conversation-client.ts";

export type ConnectionState = "live" | "reconnecting" | "gone";

type Options = {
  client: FloorClient;
  conversation: string;
  /** The place in the log after which to go on; asked anew for each connection. */
  after: () => number;
  onFrame: (frame: StreamFrame) => void;
  /** With the problem that shut this terminal out. */
  onState: (state: ConnectionState, problem?: unknown) => void;
};

export type LogFollower = { close(): void };

const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** By which a floor closes the socket of whoever has no seat any more. */
const goneCode = 4010;

/** Follows one conversation, through any number of cuts, without losing or doubling anything: the log is the truth. */
export function followLog({ client, conversation, after, onFrame, onState }: Options): LogFollower {
  const over = new AbortController();
  let socket: DialledSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let number = 0;
  let waitMs = firstWaitMs;

  const connect = async () => {
    const current = ++number;
    const isCurrent = () => !over.signal.aborted && current === number;
    const query = new URLSearchParams({
      speaker: client.speakerUri,
      conversation,
      after: String(after()),
      view: "brief",
    });
    try {
      const opened = await client.socket(query, {
        signal: over.signal,
        onText: (text) => isCurrent() && take(text),
        onClose: (code) => {
          if (!isCurrent()) return;
          if (code === goneCode) onState("gone");
          else again(Math.random() * firstWaitMs);
        },
      });
      if (!isCurrent()) return opened.close();
      socket = opened;
      waitMs = firstWaitMs;
      onState("live");
    } catch (problem) {
      if (!isCurrent()) return;
      if (isAccessDenied(problem)) onState("gone", problem);
      else again(waitMs * (0.5 + Math.random() / 2));
    }
  };
  const take = (text: string) => {
    const frame = frameIn(text);
    if (typeof frame === "object" && frame !== null && ("entry" in frame || "draft" in frame))
      onFrame(frame as StreamFrame);
  };
  // Everyone who was cut off at once does not come back at once.
  const again = (delayMs: number) => {
    socket = undefined;
    onState("reconnecting");
    waitMs = Math.min(waitMs * 2, longestWaitMs);
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), delayMs);
  };
  void connect();
  return {
    close() {
      over.abort();
      clearTimeout(timer);
      socket?.close(1000, "leaving");
    },
  };
}

/** What is no JSON is no frame, and costs nothing but itself. */
function frameIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
