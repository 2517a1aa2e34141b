import type { JsonText } from "../../conversation/decode.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DraftPiece } from "../../ports/outbound.ts";
import { ShortLivedMap } from "../../short-lived-map.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { ExpectedAnswers } from "../expected-answers.ts";

/** The open socket of an agent. */
export type AgentSocket = {
  send(text: string): void;
  /** Called when a newer socket of the same agent replaces this one. */
  replaced(): void;
};

export type SocketDelivery = {
  /** The id that the answer names. A suffix is added if the same id is already running. */
  id: string;
  write: (id: string) => string;
  /** How long it waits for the agent to connect, each time there is no socket. */
  connectMs: number;
  /** Timeout until the first frame of the answer, and between two frames. */
  silenceMs: number;
  /** Total timeout, and total timeout with drafts. */
  answerMs: number;
  streamMs: number;
  signal: StopSignal;
  onRetry: () => void;
  /** False: its socket closed without an answer. */
  onSent?: (isSent: boolean) => void;
  onDraft: (piece: DraftPiece) => void;
};

export type SocketDeliveryEnd<T> =
  | { kind: "answered"; answer: T }
  | { kind: "unreachable" }
  | { kind: "timeout" }
  | { kind: "unreadable" }
  | { kind: "aborted" };

type RunningDelivery = {
  delivery: SocketDelivery;
  /** Rate limit of drafts: the time that the received drafts have used up. */
  draftsUntilMs: number;
  /** Accepts an answer; false when it cannot be read. */
  accept: (document: JsonText) => boolean;
  sendOver: (socket: AgentSocket) => void;
  awaitSocket: () => void;
  extend: () => void;
};

/** The running deliveries to one agent. When its socket closes, they are sent again in order on the next one (D36). */
export type AgentConnection = {
  isConnected(): boolean;
  /** No delivery is running and no socket is open. */
  isIdle(): boolean;
  /** The newest socket is used. Returns a function that disconnects it. */
  connect(socket: AgentSocket): () => void;
  deliver<T>(delivery: SocketDelivery, read: (document: JsonText) => T | undefined): Promise<SocketDeliveryEnd<T>>;
  /** `unknown`: no running delivery has this id. `unreadable`: the delivery ended with an invalid answer. */
  answer(id: string, document: JsonText): "taken" | "unknown" | "unreadable";
  draft(id: string, piece: DraftPiece): boolean;
  /** Counts a draft frame. Returns how long to pause reading; undefined when no delivery has this id. */
  takeDraft(id: string, chars: number): number | undefined;
};

// Per delivery: 1,000 frames or 4 MiB a second, and a burst of two seconds. Readers get 10 frames a second (D30).
const draftMs = 1;
const draftChars = 4_096;
const draftBurstMs = 2_000;

export function createAgentConnection(clock: Clock, answers?: ExpectedAnswers): AgentConnection {
  const running = new ShortLivedMap<RunningDelivery>();
  let socket: AgentSocket | undefined;
  return {
    isConnected: () => socket !== undefined,
    isIdle: () => socket === undefined && running.size === 0,
    connect(next) {
      socket?.replaced();
      socket = next;
      for (const one of running.values()) one.sendOver(next);
      return () => {
        if (socket !== next) return;
        socket = undefined;
        for (const one of running.values()) one.awaitSocket();
      };
    },
    deliver(delivery, read) {
      return new Promise((resolve) => {
        if (delivery.signal.aborted) return resolve({ kind: "aborted" });
        const id = uniqueId(delivery.id, running);
        const closeAnswer = answers?.open(id);
        const one = createRunningDelivery(clock, { ...delivery, id }, read, (end) => {
          closeAnswer?.();
          if (running.get(id) === one) running.delete(id);
          resolve(end);
        });
        running.set(id, one);
        if (socket === undefined) one.awaitSocket();
        else one.sendOver(socket);
      });
    },
    answer(id, document) {
      const one = running.get(id);
      if (one === undefined) return "unknown";
      return one.accept(document) ? "taken" : "unreadable";
    },
    draft(id, piece) {
      const one = running.get(id);
      if (one === undefined) return false;
      one.extend();
      one.delivery.onDraft(piece);
      return true;
    },
    takeDraft(id, chars) {
      const one = running.get(id);
      if (one === undefined) return undefined;
      const nowMs = clock.now();
      // Clamped in case the clock was set.
      const usedMs = Math.min(Math.max(one.draftsUntilMs, nowMs - draftBurstMs), nowMs + draftBurstMs);
      one.draftsUntilMs = usedMs + draftMs * Math.ceil(chars / draftChars);
      return Math.max(0, one.draftsUntilMs - nowMs);
    },
  };
}

function uniqueId(id: string, taken: { has(id: string): boolean }): string {
  for (let count = 2, candidate = id; ; count += 1) {
    if (!taken.has(candidate)) return candidate;
    candidate = `${id}~${count}`;
  }
}

function createRunningDelivery<T>(
  clock: Clock,
  delivery: SocketDelivery,
  read: (document: JsonText) => T | undefined,
  settle: (end: SocketDeliveryEnd<T>) => void,
): RunningDelivery {
  const end = (result: SocketDeliveryEnd<T>) => {
    cancel();
    cancelTotal();
    delivery.signal.removeEventListener("abort", onAbort);
    settle(result);
  };
  const onAbort = () => end({ kind: "aborted" });
  const expire = (ms: number, result: "unreachable" | "timeout") => {
    cancel();
    cancel = clock.at(clock.now() + ms, () => end({ kind: result }));
  };
  let cancel = () => {};
  // Encoded once: a repetition has the same bytes (D22).
  const text = delivery.write(delivery.id);
  const begunAt = clock.now();
  const endAt = (ms: number) => clock.at(begunAt + ms, () => end({ kind: "timeout" }));
  let cancelTotal = endAt(delivery.answerMs);
  let hasDrafts = false;
  delivery.signal.addEventListener("abort", onAbort, { once: true });
  return {
    delivery,
    draftsUntilMs: 0,
    accept(document) {
      const answer = read(document);
      end(answer === undefined ? { kind: "unreadable" } : { kind: "answered", answer });
      return answer !== undefined;
    },
    sendOver(socket) {
      expire(delivery.silenceMs, "timeout");
      socket.send(text);
      delivery.onSent?.(true);
    },
    awaitSocket() {
      delivery.onSent?.(false);
      delivery.onRetry();
      expire(delivery.connectMs, "unreachable");
    },
    extend() {
      expire(delivery.silenceMs, "timeout");
      if (hasDrafts) return;
      hasDrafts = true;
      cancelTotal();
      cancelTotal = endAt(delivery.streamMs);
    },
  };
}
