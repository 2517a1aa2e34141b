import type { DialledSocket } from "@plenary/sdk";
import { type FloorClient, isAccessDenied } from "../floor/client.ts";
import type { StreamFrame } from "../floor/conversation-client.ts";

export type ConnectionState = "live" | "reconnecting" | "gone";

type Options = {
  client: FloorClient;
  conversation: string;
  /** The last known sequence number; read again for each connection. */
  after: () => number;
  onFrame: (frame: StreamFrame) => void;
  /** `problem` says why access was denied. */
  onState: (state: ConnectionState, problem?: unknown) => void;
};

export type LogFollower = { close(): void };

const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** The floor's close code for a speaker that is no longer in the conversation. */
const goneCode = 4010;

/** Follows one conversation across reconnects. Each connection continues after the last log entry, so nothing is lost. */
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
  // Random delays, so that clients do not all reconnect at once.
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

/** Invalid JSON is ignored. */
function frameIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
