import { texts } from "../texts/texts.ts";
import { type Client, RequestError } from "./client.ts";
import { type FrameSource, openEventStream, openSocket } from "./transports.ts";
import type { StreamFrame } from "./types.ts";

export type LiveState = "live" | "reconnecting" | "gone";

export type LiveOptions = {
  client: Client;
  conversation: string;
  speaker: string;
  /** The last known sequence number, read again for each connection. */
  after: () => number;
  onFrame: (frame: StreamFrame) => void;
  /** `problem` is the reason when the state is "gone". */
  onState: (state: LiveState, problem?: RequestError) => void;
};

export type LiveConnection = {
  /** Opens a new connection: the current one may be dead without a sign. */
  reconnect(): void;
  close(): void;
};

const firstWaitMs = 250;
const longestWaitMs = 10_000;
/** After this many sockets in a row that never opened, Server-Sent Events are used. */
const socketFailuresMax = 3;

/**
 * Follows one conversation and reconnects after every cut. Each connection resumes after the last known sequence
 * number, so nothing is lost or doubled.
 */
export function openLiveConnection(options: LiveOptions): LiveConnection {
  let source: FrameSource | undefined;
  let attempt = 0;
  let failedSockets = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const connect = () => {
    clearTimeout(timer);
    const number = ++attempt;
    const isCurrent = () => !isClosed && number === attempt;
    let hasOpened = false;
    const hasSockets = failedSockets < socketFailuresMax;
    const open = hasSockets ? openSocket : openEventStream;
    const onEnd = (isGone: boolean) => {
      if (!isCurrent()) return;
      if (isGone) {
        source = undefined;
        options.onState("gone", new RequestError(texts.errors.notInConversation, 403));
        return;
      }
      if (hasSockets && !hasOpened) failedSockets += 1;
      again(hasOpened);
    };
    open(options.client, queryOf(options), {
      onOpen: () => {
        if (!isCurrent()) return;
        hasOpened = true;
        failedSockets = 0;
        waitMs = firstWaitMs;
        options.onState("live");
      },
      onFrame: (frame) => isCurrent() && options.onFrame(frame),
      onEnd,
    })
      .then((opened) => {
        if (isCurrent()) source = opened;
        else opened.close();
      })
      .catch((error: unknown) => {
        if (!isCurrent()) return;
        if (error instanceof RequestError && error.isDenied) options.onState("gone", error);
        else again(false);
      });
  };
  let waitMs = firstWaitMs;
  const again = (wasOpen: boolean) => {
    source = undefined;
    options.onState("reconnecting");
    // Jitter: clients that were cut off together must not reconnect together.
    const delayMs = wasOpen ? Math.random() * firstWaitMs : waitMs * (0.5 + Math.random() / 2);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
    clearTimeout(timer);
    timer = setTimeout(connect, delayMs);
  };
  const reconnect = () => {
    if (isClosed) return;
    source?.close();
    source = undefined;
    waitMs = firstWaitMs;
    connect();
  };
  connect();
  return {
    reconnect,
    close() {
      isClosed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}

function queryOf({ speaker, conversation, after }: LiveOptions): URLSearchParams {
  return new URLSearchParams({ speaker, conversation, after: String(after()), view: "brief" });
}
