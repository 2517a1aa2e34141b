import type { ErrorContent } from "@plenary/nemo";
import { textOf } from "@plenary/protocol";
import { lineOf, type TranscriptEntry, type UtteranceLine } from "@plenary/transcript";
import type { Draft } from "../../delivery/drafts.ts";
import type { ClientFeatures, Conversants, MessageResult, NemoOutput, Renderer } from "../participant.ts";
import { attachmentText } from "./attachments.ts";
import { deltas } from "./bubble.ts";
import {
  agentErrorIn,
  createHeldEntries,
  errorLine,
  failureIn,
  type HeldEntries,
  missedError,
  noAnswerLine,
  noteStep,
  refusalError,
  unknownNameLine,
} from "./notes.ts";
import { createRendererParticipants, type RendererParticipants } from "./participants.ts";
import { OpenPrompts } from "./prompts.ts";
import { type AgentSteps, createAgentSteps, createSteps, type Steps } from "./steps.ts";
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

export function createRenderer(options: RendererOptions): Renderer {
  return new TurnRenderer(options);
}

class TurnRenderer implements Renderer {
  readonly #participants: RendererParticipants;
  readonly #queue: UtteranceQueue;
  readonly #prompts: OpenPrompts;
  readonly #steps: Steps;
  readonly #agentSteps: AgentSteps;
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
  readonly #heldEntries: HeldEntries;
  #nowMs = 0;

  constructor({ me, conversation, clientFeatures, after = 0 }: RendererOptions) {
    this.#participants = createRendererParticipants(me);
    this.#steps = createSteps(conversation);
    this.#agentSteps = createAgentSteps(this.#participants);
    this.#queue = new UtteranceQueue(this.#participants);
    this.#heldEntries = createHeldEntries(this.#participants);
    const addLine = (line: string) => {
      if (!this.#isHistory) this.#queue.addNotice(line);
    };
    this.#prompts = new OpenPrompts({ me, clientFeatures, participants: this.#participants, addLine });
    this.#after = after;
  }

  seq(): number {
    return this.#newest;
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  turns(): readonly string[] {
    return this.#turns;
  }

  hasPrompt(): boolean {
    return this.#prompts.hasOpen();
  }

  isWaitingForName(): boolean {
    return (this.#queue.nextAtMs() ?? 0) > this.#nowMs;
  }

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
    const steps = this.#steps.begin(nowMs, isBargeIn);
    const atWork = this.#steps.agent(this.#agentSteps.begin(isBargeIn));
    return [...steps, ...atWork, ...this.#output(nowMs)];
  }

  addTurn(turn: string): void {
    if (this.#isOpen && !this.#turns.includes(turn)) this.#turns = [...this.#turns, turn].slice(-turnsMax);
  }

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
    const steps = this.#agentSteps.draft(draft);
    // Outside a turn `#agentSteps` keeps them: the next turn begins with the steps that still run.
    return this.#isOpen ? [...this.#steps.agent(steps), ...this.#deltas()] : this.#deltas();
  }

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

  replyAccepted(nowMs: number): NemoOutput[] {
    this.#prompts.replyAccepted();
    return this.#output(nowMs);
  }

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

  nextAtMs(): number | undefined {
    let nextMs = this.#prompts.nextAtMs() ?? never;
    if (this.#isOpen) {
      nextMs = Math.min(nextMs, this.#futureMs(this.#queue.nextAtMs()), this.#futureMs(this.#heldEntries.nextAtMs()));
    }
    return nextMs === never ? undefined : nextMs;
  }

  repeatPrompt(nowMs: number): NemoOutput[] {
    return this.#isOpen ? this.#prompts.repeat(nowMs) : [];
  }

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
    if (words.trim() === "" && attachments === "") this.#queue.forget(sender, id);
    else {
      const more = { isFailure: agentError !== undefined, ...(relayedFrom !== undefined && { relayedFrom }) };
      this.#queue.add({ id, seq, sender, isPrivate, words, attachments, ...more });
    }
    const steps = this.#steps.agent(this.#agentSteps.utterance(line, this.#isOpen));
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
    const steps = this.#heldEntries.take(nowMs).flatMap((note) => noteStep(note, this.#participants, this.#self) ?? []);
    return steps.flatMap((step) => this.#steps.note(step));
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

  #futureMs(ms: number | undefined): number {
    return ms !== undefined && ms > this.#nowMs ? ms : never;
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
