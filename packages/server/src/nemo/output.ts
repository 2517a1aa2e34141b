import type { ErrorContent, PromptContent } from "@plenary/nemo";
import type { Identification } from "@plenary/protocol";
import type { SeatKind, TranscriptEntry } from "@plenary/transcript";
import type { Draft } from "../delivery/drafts.ts";

/** A piece of output for a NeMo client, before it has its frame. Over HTTP the same pieces become chunks of an answer. */
export type NemoOutput =
  | { kind: "delta"; text: string }
  /** The same id and name again replaces the earlier step. `parent`: the id of another step. */
  | { kind: "step"; id: string; parent?: string; name: string; payload: string }
  | { kind: "prompt"; content: PromptContent }
  | { kind: "error"; error: ErrorContent }
  /** The turn is over; `isFailed` when nothing but an error came of it. */
  | { kind: "complete"; isFailed: boolean }
  | { kind: "trace"; traceId: string };

/** What a client shows well. The stock client has no control for some kinds of question. */
export type ClientFeatures = { hasAllPrompts: boolean };

/** What the person at a NeMo client chose, ready to be sent to the agent that asked. */
export type MessageResult =
  | { kind: "reply"; id: string; to: string; isPrivate: boolean; values: readonly string[]; words: string }
  /** Nothing was asked, or not that. The client gets the error; the question stays open. */
  | { kind: "lack"; output: readonly NemoOutput[]; error: ErrorContent };

/**
 * Makes the output of one conversation for one person, turn by turn. Pure: entries, drafts, messages and times come in,
 * pieces go out, in the order in which they are to be sent. It lives longer than a socket.
 */
export interface Renderer {
  /** The newest entry that it was given; a stream goes on after it. */
  seq(): number;
  isOpen(): boolean;
  /** Turns of the floor (D4) that are part of the open turn, in order. */
  turns(): readonly string[];
  /** A question waits for the person, so the turn is not over. */
  isAsking(): boolean;
  /** Words of somebody who has just come wait for its name, a moment at most. */
  isHolding(): boolean;
  /** The person's message begins a turn, and what was said since the last one comes first. `nowMs` since 1970. */
  begin(nowMs: number): NemoOutput[];
  /** What the person just said, or answered, is this turn of the floor. */
  joined(turn: string): void;
  /** Who is here, as the floor says: names and kinds of those who came before the first entry that it is given. */
  look(conversants: readonly { identification: Identification; kind: SeatKind; state: "invited" | "joined" }[]): void;
  entry(entry: TranscriptEntry, nowMs: number): NemoOutput[];
  draft(draft: Draft): NemoOutput[];
  /** An agent did not answer in this turn. The person may not see that entry of the log, so the caller reports it here. */
  missed(speakerUri: string, failure: string, detail?: string): NemoOutput[];
  /** Whether these words answer the question that is shown. */
  isAnswer(texts: readonly string[], nowMs: number): boolean;
  /** Words of a reply of the person, held against the question that is shown. */
  reply(texts: readonly string[], nowMs: number): MessageResult;
  /** The reply was taken: the question is closed, the next one may be shown. */
  replied(nowMs: number): NemoOutput[];
  /** Nothing of these turns is awaited any more: what is held back goes out, and the turn ends. */
  complete(traceId?: string): NemoOutput[];
  /** Time has passed: questions whose time is up end. */
  tick(nowMs: number): NemoOutput[];
  /** When `tick` has something to do. */
  nextAtMs(): number | undefined;
  /** After the client came back: the question that waits, with the time that is left. */
  resumed(nowMs: number): NemoOutput[];
  /** Something about the turn, in words of the floor; nothing when none is open. */
  remark(words: string): NemoOutput[];
  /** A trouble of this person's own, such as a message that could not be taken: always visible. */
  trouble(error: ErrorContent): NemoOutput[];
}
