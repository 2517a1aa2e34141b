import type { Clock } from "../../ports/clock.ts";
import type { DraftPiece } from "../../ports/outbound.ts";
import type { OpenAnswers } from "../expected-answers.ts";

/** The open socket of an agent. */
export type AgentSocket = {
  send(text: string): void;
  /** A newer socket of the same agent has taken over. */
  replaced(): void;
};

export type Parcel = {
  /** As the agent will name it when it answers, unless something of that name is under way already. */
  id: string;
  write: (id: string) => string;
  /** How long it waits for the agent to connect, each time the socket is not there. */
  connectMs: number;
  /** To the first sign of an answer, and between any two. */
  silenceMs: number;
  /** In all, and in all where drafts of it come. */
  answerMs: number;
  streamMs: number;
  signal: AbortSignal;
  onRetry: () => void;
  /** False: the socket it was sent on has closed without an answer. */
  onSent?: (isSent: boolean) => void;
  onDraft: (piece: DraftPiece) => void;
};

export type ParcelEnd<T> =
  | { kind: "answered"; answer: T }
  | { kind: "unreachable" }
  | { kind: "timeout" }
  | { kind: "unreadable" }
  | { kind: "aborted" };

type Waiting = {
  parcel: Parcel;
  /** Until when the drafts that came have used up their time. */
  draftsUntilMs: number;
  /** Takes an answer; false when it is none. */
  offer: (text: string) => boolean;
  post: (socket: AgentSocket) => void;
  wait: () => void;
  stir: () => void;
};

/** What is under way to one agent. Kept when its socket breaks, and sent again, in order, on the next one (D36). */
export type Line = {
  isConnected(): boolean;
  /** Nothing is under way and nobody is connected. */
  isIdle(): boolean;
  /** Newest wins. Returns the way to hang up. */
  connect(socket: AgentSocket): () => void;
  carry<T>(parcel: Parcel, read: (text: string) => T | undefined): Promise<ParcelEnd<T>>;
  /** `unknown`: nothing with this id is under way. `unreadable`: that was its end. */
  answer(id: string, text: string): "taken" | "unknown" | "unreadable";
  draft(id: string, piece: DraftPiece): boolean;
  /** A draft frame of so many characters came: for how long no more are to be read. Undefined when nothing waits for it. */
  takeDraft(id: string, chars: number): number | undefined;
};

// Of one delivery: 1,000 frames a second, or 4 MiB, and twice as much at once. Readers get 10 a second of it (D30).
const draftMs = 1;
const draftChars = 4_096;
const draftBurstMs = 2_000;

export function createLine(clock: Clock, answers?: OpenAnswers): Line {
  const waiting = new Map<string, Waiting>();
  let socket: AgentSocket | undefined;
  return {
    isConnected: () => socket !== undefined,
    isIdle: () => socket === undefined && waiting.size === 0,
    connect(fresh) {
      socket?.replaced();
      socket = fresh;
      for (const one of waiting.values()) one.post(fresh);
      return () => {
        if (socket !== fresh) return;
        socket = undefined;
        for (const one of waiting.values()) one.wait();
      };
    },
    carry(parcel, read) {
      return new Promise((resolve) => {
        if (parcel.signal.aborted) return resolve({ kind: "aborted" });
        const id = freeName(parcel.id, waiting);
        const closeAnswer = answers?.open(id);
        const one = createWaiting(clock, { ...parcel, id }, read, (end) => {
          closeAnswer?.();
          if (waiting.get(id) === one) waiting.delete(id);
          resolve(end);
        });
        waiting.set(id, one);
        if (socket === undefined) one.wait();
        else one.post(socket);
      });
    },
    answer(id, text) {
      const one = waiting.get(id);
      if (one === undefined) return "unknown";
      return one.offer(text) ? "taken" : "unreadable";
    },
    draft(id, piece) {
      const one = waiting.get(id);
      if (one === undefined) return false;
      one.stir();
      one.parcel.onDraft(piece);
      return true;
    },
    takeDraft(id, chars) {
      const one = waiting.get(id);
      if (one === undefined) return undefined;
      const nowMs = clock.now();
      // Within bounds also after the clock was set.
      const usedMs = Math.min(Math.max(one.draftsUntilMs, nowMs - draftBurstMs), nowMs + draftBurstMs);
      one.draftsUntilMs = usedMs + draftMs * Math.ceil(chars / draftChars);
      return Math.max(0, one.draftsUntilMs - nowMs);
    },
  };
}

function freeName(id: string, taken: ReadonlyMap<string, unknown>): string {
  for (let count = 2, name = id; ; count += 1) {
    if (!taken.has(name)) return name;
    name = `${id}~${count}`;
  }
}

function createWaiting<T>(
  clock: Clock,
  parcel: Parcel,
  read: (text: string) => T | undefined,
  settle: (end: ParcelEnd<T>) => void,
): Waiting {
  const end = (how: ParcelEnd<T>) => {
    cancel();
    cancelTotal();
    parcel.signal.removeEventListener("abort", onAbort);
    settle(how);
  };
  const onAbort = () => end({ kind: "aborted" });
  const expire = (ms: number, how: "unreachable" | "timeout") => {
    cancel();
    cancel = clock.at(clock.now() + ms, () => end({ kind: how }));
  };
  let cancel = () => {};
  // Its bytes are made once, however often it is sent (D22).
  const text = parcel.write(parcel.id);
  const begunAt = clock.now();
  const endAt = (ms: number) => clock.at(begunAt + ms, () => end({ kind: "timeout" }));
  let cancelTotal = endAt(parcel.answerMs);
  let hasDrafts = false;
  parcel.signal.addEventListener("abort", onAbort, { once: true });
  return {
    parcel,
    draftsUntilMs: 0,
    offer(text) {
      const answer = read(text);
      end(answer === undefined ? { kind: "unreadable" } : { kind: "answered", answer });
      return answer !== undefined;
    },
    post(socket) {
      expire(parcel.silenceMs, "timeout");
      socket.send(text);
      parcel.onSent?.(true);
    },
    wait() {
      parcel.onSent?.(false);
      parcel.onRetry();
      expire(parcel.connectMs, "unreachable");
    },
    stir() {
      expire(parcel.silenceMs, "timeout");
      if (hasDrafts) return;
      hasDrafts = true;
      cancelTotal();
      cancelTotal = endAt(parcel.streamMs);
    },
  };
}
