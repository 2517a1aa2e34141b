import type { ErrorContent } from "@plenary/nemo";
import { textOf } from "@plenary/protocol";
import { lineOf, type TranscriptEntry, type UtteranceLine } from "@plenary/transcript";
import type { Draft } from "../../delivery/drafts.ts";
import type { ClientFeatures, Conversants, MessageResult, NemoOutput } from "../participant.ts";
import { attachmentText } from "./attachments.ts";
import { deltas } from "./bubble.ts";
import {
  agentErrorIn,
  createHeldEntries,
  errorLine,
  failureIn,
  missedError,
  noAnswerLine,
  refusalError,
  unknownNameLine,
} from "./notes.ts";
import { createRendererParticipants, type RendererParticipants } from "./participants.ts";
import { OpenPrompts } from "./prompts.ts";
import { createSteps, type Steps } from "./steps.ts";
import { UtteranceQueue } from "./utterance-queue.ts";

type RendererOptions = {
  me: string;
  /** Names the conversation in the ids of its steps. */
  conversation: string;
  clientFeatures: ClientFeatures;
  /** The client has the log up to this entry: it is read for names and state, and not sent. */
  after?: number;
};

/** Turns of the floor (D4) within one turn of the client. */
const turnsMax = 100;
const never = Number.POSITIVE_INFINITY;

/**
 * Makes the output of one conversation for one person, turn by turn. Pure: its input is entries, drafts, messages and
 * times; its output is pieces in the order of sending. It lives longer than a socket.
 */
export class Renderer {
  readonly #participants: RendererParticipants;
  readonly #queue: UtteranceQueue;
  readonly #prompts: OpenPrompts;
  readonly #steps: Steps;
  #self: string | undefined;
  readonly #after: number;
  #newest = 0;
  /** The entry that is read is known to the client. */
  #isHistory = false;
  #isOpen = false;
  #turns: readonly string[] = [];
  readonly #sentErrors = new Set<string>();
  #ownUtterance: { to: string | undefined } | undefined;
  /** A second message pauses and resumes the agents. Until it is in the log, these entries are not shown. */
  #isBargeIn = false;
  readonly #heldEntries: ReturnType<typeof createHeldEntries>;
  #nowMs = 0;

  constructor({ me, conversation, clientFeatures, after = 0 }: RendererOptions) {
    this.#participants = createRendererParticipants(me);
    this.#steps = createSteps(conversation, this.#participants);
    this.#queue = new UtteranceQueue(this.#participants);
    this.#heldEntries = createHeldEntries(this.#participants);
    const addLine = (line: string) => {
      if (!this.#isHistory) this.#queue.addNotice(line);
    };
    this.#prompts = new OpenPrompts({ me, clientFeatures, participants: this.#participants, addLine });
    this.#after = after;
  }

  /** The newest entry that was read; a stream continues after it. */
  seq(): number {
    return this.#newest;
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  /** Turns of the floor (D4) that are part of the open turn, in order. */
  turns(): readonly string[] {
    return this.#turns;
  }

  /** A question is open, so the turn is not over. */
  hasPrompt(): boolean {
    return this.#prompts.hasOpen();
  }

  /** Utterances of a new agent wait shortly for its name. */
  isWaitingForName(): boolean {
    return (this.#queue.nextAtMs() ?? 0) > this.#nowMs;
  }

  /** Begins a turn with the person's message. Output since the last turn comes first. `nowMs` since 1970. */
  begin(nowMs: number): NemoOutput[] {
    const isBargeIn = this.#isOpen;
    this.#isOpen = true;
    this.#turns = [];
    this.#sentErrors.clear();
    this.#ownUtterance = undefined;
    this.#isBargeIn = isBargeIn;
    this.#queue.begin(isBargeIn);
    this.#prompts.startTurn();
    this.#prompts.expire(nowMs);
    return [...this.#steps.begin(nowMs, isBargeIn), ...this.#output(nowMs)];
  }

  /** The message or answer of the person is this turn of the floor. */
  addTurn(turn: string): void {
    if (this.#isOpen && !this.#turns.includes(turn)) this.#turns = [...this.#turns, turn].slice(-turnsMax);
  }

  /** The conversants of the floor, for the names and kinds of those that joined before the first entry it reads. */
  addConversants(conversants: Conversants): void {
    this.#participants.addConversants(conversants);
  }

  entry(entry: TranscriptEntry, nowMs: number): NemoOutput[] {
    if (entry.seq <= this.#newest) return [];
    this.#newest = entry.seq;
    this.#participants.readEntry(entry);
    if (entry.kind === "opened") this.#self = entry.self.speakerUri;
    if (entry.kind === "erased") this.#queue.erase(entry.erases);
    this.#isHistory = entry.seq <= this.#after;
    const line = lineOf(entry, this.#self);
    const output = line?.kind === "utterance" ? this.#utterance(line) : this.#event(entry);
    this.#isHistory = false;
    return [...output, ...this.#output(nowMs)];
  }

  draft(draft: Draft): NemoOutput[] {
    this.#queue.draft(draft);
    if (draft.step === undefined && draft.end === undefined) return this.#deltas();
    return [...this.#steps.draft(draft), ...this.#deltas()];
  }

  /** An agent did not answer in this turn. The person may not see that entry of the log, so the caller reports it. */
  missed(speakerUri: string, failure: string, detail?: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    return [...this.#fail(missedError({ speakerUri, failure, detail }, this.#participants)), ...this.#deltas()];
  }

  isAnswer(texts: readonly string[], nowMs: number): boolean {
    return this.#prompts.isAnswer(texts, nowMs);
  }

  reply(texts: readonly string[], nowMs: number): MessageResult {
    const reply = this.#prompts.reply(texts, nowMs);
    if (reply.kind !== "fault") return reply;
    const { isAsked, error } = reply;
    const output = isAsked ? this.#prompts.repeat(nowMs, error.details) : this.#errorOutput(error);
    return { kind: "lack", output, error };
  }

  /** The floor accepted the reply: closes the question and shows the next one. */
  replyAccepted(nowMs: number): NemoOutput[] {
    this.#prompts.replyAccepted();
    return this.#output(nowMs);
  }

  /** Ends the turn. Text that is held back is sent first. */
  complete(traceId?: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    const notes = this.#notes(never);
    const last = this.#queue.flush();
    const own = this.#ownUtterance;
    const noAnswer = own === undefined ? "" : this.#queue.fill(noAnswerLine(this.#participants, own.to));
    this.#isOpen = false;
    this.#steps.end();
    const isFailed = this.#sentErrors.size > 0 && !this.#queue.hasAnswer();
    const trace: NemoOutput[] = traceId === undefined ? [] : [{ kind: "trace", traceId }];
    return [...notes, ...deltas(last + noAnswer), { kind: "complete", isFailed }, ...trace];
  }

  /** Time has passed: closes expired questions, and sends text whose wait is over. */
  tick(nowMs: number): NemoOutput[] {
    const over = this.#prompts.expire(nowMs);
    if (!this.#isOpen) return [];
    const errors = over.map((details): NemoOutput => {
      const error = { code: "workflow_error", message: "TimeoutError", details } as const;
      this.#sentErrors.add(JSON.stringify(error));
      return { kind: "error", error };
    });
    return [...errors, ...this.#output(nowMs)];
  }

  /** When to call `tick`. */
  nextAtMs(): number | undefined {
    const waits = this.#isOpen ? [this.#queue.nextAtMs(), this.#heldEntries.nextAtMs()] : [];
    const future = waits.map((ms) => (ms !== undefined && ms > this.#nowMs ? ms : never));
    const nextMs = Math.min(this.#prompts.nextAtMs() ?? never, ...future);
    return nextMs === never ? undefined : nextMs;
  }

  /** For a client that reconnected: the open question, with the time that is left. */
  repeatPrompt(nowMs: number): NemoOutput[] {
    return this.#isOpen ? this.#prompts.repeat(nowMs) : [];
  }

  /** Shows an error about the person's own message, also outside a turn. */
  showError(error: ErrorContent): NemoOutput[] {
    // A client closes a question with the answer, but the floor refused this one.
    const again = this.#prompts.replyRejected() && this.#isOpen ? this.#prompts.repeat(this.#nowMs) : [];
    return [...this.#errorOutput(error), ...again];
  }

  addNotice(words: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    this.#queue.addNotice(`*(${words})*`);
    return this.#deltas();
  }

  #errorOutput(error: ErrorContent): NemoOutput[] {
    const output: NemoOutput = { kind: "error", error };
    if (!this.#isOpen) return [output, ...deltas(errorLine(error)), { kind: "complete", isFailed: true }];
    this.#sentErrors.add(JSON.stringify(error));
    this.#queue.addNotice(errorLine(error));
    return [output, ...this.#deltas()];
  }

  #utterance(line: UtteranceLine): NemoOutput[] {
    const { dialogEvent, sender, seq, relayedFrom, isWhisper: isPrivate } = line;
    const isQuestion = this.#prompts.take(line, !this.#isHistory);
    if (this.#participants.isMe(sender)) this.#readOwn(line);
    if (this.#isHistory) return [];
    const isForOthers = isPrivate && line.to !== undefined && !this.#participants.isMe(line.to);
    if (this.#participants.isMe(sender) || isForOthers) return [];
    const { id } = dialogEvent;
    const isPrompt = isQuestion && !this.#queue.isPartlySent(sender, id);
    const words = isPrompt ? "" : textOf(dialogEvent);
    const attachments = attachmentText(dialogEvent);
    const agentError = agentErrorIn(dialogEvent);
    const isFailure = agentError !== undefined;
    if (words.trim() === "" && attachments === "") this.#queue.forget(sender, id);
    else this.#queue.add({ id, seq, sender, relayedFrom, isPrivate, words, attachments, isFailure });
    const steps = this.#steps.utterance(line);
    return agentError === undefined ? steps : [...steps, ...this.#fail(agentError, words.trim() !== "")];
  }

  #readOwn({ to, isWhisper, dialogEvent }: UtteranceLine): void {
    this.#isBargeIn = false;
    if (this.#isHistory || !this.#isOpen) return;
    this.#ownUtterance = { to };
    this.#queue.personSpoke();
    if (to !== undefined || isWhisper) return;
    const unknown = unknownNameLine(this.#participants, textOf(dialogEvent));
    if (unknown !== undefined) this.#queue.addNotice(unknown);
  }

  #event(entry: TranscriptEntry): NemoOutput[] {
    if (entry.kind === "event" && entry.event.eventType === "bye") this.#prompts.drop(entry.sender);
    if (entry.kind === "event" && entry.event.eventType === "uninvite") this.#prompts.drop(entry.target ?? "");
    if (this.#isHistory) return [];
    if (entry.kind === "refused" && this.#participants.isMe(entry.sender)) return this.#fail(refusalError(entry));
    if (!this.#isOwnStop(entry)) this.#heldEntries.add(entry);
    const error = this.#isOfTurn(entry) ? failureIn(entry, this.#participants) : undefined;
    return error ? this.#fail(error) : [];
  }

  #isOwnStop(entry: TranscriptEntry): boolean {
    if (!this.#isBargeIn || (entry.kind !== "paused" && entry.kind !== "resumed")) return false;
    return entry.by === undefined ? entry.kind === "resumed" : this.#participants.isMe(entry.by);
  }

  #notes(nowMs: number): NemoOutput[] {
    return this.#heldEntries.take(nowMs, this.#self).flatMap((step) => this.#steps.note(step));
  }

  /** Failed deliveries of other persons are not shown. Before the person's message has a turn, all count as its own. */
  #isOfTurn(entry: TranscriptEntry): boolean {
    if (entry.kind !== "missed") return true;
    return this.#isOpen && (this.#turns.length === 0 || this.#turns.includes(entry.turn ?? ""));
  }

  /** Each error once in a turn. Outside a turn, its text is kept for the next one. */
  #fail(error: ErrorContent, hasWords = false): NemoOutput[] {
    const key = JSON.stringify(error);
    if (this.#isOpen && this.#sentErrors.has(key)) return [];
    if (!hasWords) this.#queue.addNotice(errorLine(error));
    if (!this.#isOpen) return [];
    this.#sentErrors.add(key);
    return [{ kind: "error", error }];
  }

  #deltas(): NemoOutput[] {
    return deltas(this.#queue.takeText(this.#nowMs));
  }

  /** Prompts come after the text, and add text themselves. */
  #output(nowMs: number): NemoOutput[] {
    this.#nowMs = nowMs;
    const notes = this.#notes(nowMs);
    // Within the known log, a later entry may answer the question.
    if (!this.#isOpen || this.#newest < this.#after) return [...notes, ...this.#deltas()];
    return [...notes, ...this.#deltas(), ...this.#prompts.show(nowMs), ...this.#deltas()];
  }
}
