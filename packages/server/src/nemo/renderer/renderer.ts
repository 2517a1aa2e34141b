import type { ErrorContent } from "@plenary/nemo";
import { textOf } from "@plenary/protocol";
import { lineOf, type TranscriptEntry, type UtteranceLine } from "@plenary/transcript";
import type { Draft } from "../../delivery/drafts.ts";
import type { ClientFeatures, MessageResult, NemoOutput, Renderer } from "../output.ts";
import { besideWords } from "./attachments.ts";
import { deltas } from "./bubble.ts";
import {
  createUnnamedSpeakers,
  errorLine,
  failureIn,
  missedError,
  noteStep,
  refusalOf,
  silenceLine,
  troubleIn,
  type UnnamedSpeakers,
  unknownNameLine,
} from "./notes.ts";
import { type Conversants, createRendererParticipants, type RendererParticipants } from "./participants.ts";
import { OpenPrompts } from "./prompts.ts";
import { type AgentSteps, createAgentSteps, createSteps, type Steps } from "./steps.ts";
import { SpeakerOutputs } from "./utterance-queue.ts";

type RendererOptions = {
  me: string;
  /** Names the conversation in the ids of its steps. */
  conversation: string;
  clientFeatures: ClientFeatures;
  /** The person knows the log up to this entry: it is read for names and state, and not sent. */
  after?: number;
};

/** Turns of the floor within one of the client. */
const turnsMax = 100;
const never = Number.POSITIVE_INFINITY;

export function createRenderer(options: RendererOptions): Renderer {
  return new TurnRenderer(options);
}

class TurnRenderer implements Renderer {
  readonly #people: RendererParticipants;
  readonly #voices: SpeakerOutputs;
  readonly #asking: OpenPrompts;
  readonly #steps: Steps;
  readonly #agentSteps: AgentSteps;
  #self: string | undefined;
  readonly #after: number;
  #newest = 0;
  /** What is being read is known to the person. */
  #isLearning = false;
  #isOpen = false;
  #turns: readonly string[] = [];
  /** Sent in this turn. */
  readonly #errors = new Set<string>();
  /** The person's own utterances in this turn, and their addressees. */
  #said: { to: string | undefined } | undefined;
  /** A second message stops the agents and lets them go on; until it is said, the log tells of that too. */
  #isBargeIn = false;
  readonly #unnamed: UnnamedSpeakers;
  #nowMs = 0;

  constructor({ me, conversation, clientFeatures, after = 0 }: RendererOptions) {
    this.#people = createRendererParticipants(me);
    this.#steps = createSteps(conversation);
    this.#agentSteps = createAgentSteps(this.#people);
    this.#voices = new SpeakerOutputs(this.#people);
    this.#unnamed = createUnnamedSpeakers(this.#people);
    const say = (line: string) => {
      if (!this.#isLearning) this.#voices.line(line);
    };
    this.#asking = new OpenPrompts({ me, clientFeatures, people: this.#people, say });
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

  isAsking(): boolean {
    return this.#asking.isAsking();
  }

  isHolding(): boolean {
    return (this.#voices.nextAtMs() ?? 0) > this.#nowMs;
  }

  begin(nowMs: number): NemoOutput[] {
    const isBargeIn = this.#isOpen;
    this.#isOpen = true;
    this.#turns = [];
    this.#errors.clear();
    this.#said = undefined;
    this.#isBargeIn = isBargeIn;
    this.#voices.begin(isBargeIn);
    this.#asking.turnPage();
    this.#asking.expire(nowMs);
    const steps = this.#steps.begin(nowMs, isBargeIn);
    const atWork = this.#steps.agent(this.#agentSteps.begin(isBargeIn));
    return [...steps, ...atWork, ...this.#goOn(nowMs)];
  }

  joined(turn: string): void {
    if (this.#isOpen && !this.#turns.includes(turn)) this.#turns = [...this.#turns, turn].slice(-turnsMax);
  }

  look(conversants: Conversants): void {
    this.#people.look(conversants);
  }

  entry(entry: TranscriptEntry, nowMs: number): NemoOutput[] {
    if (entry.seq <= this.#newest) return [];
    this.#newest = entry.seq;
    this.#people.hear(entry);
    if (entry.kind === "opened") this.#self = entry.self.speakerUri;
    if (entry.kind === "erased") this.#voices.erase(entry.erases);
    this.#isLearning = entry.seq <= this.#after;
    const line = lineOf(entry, this.#self);
    const output = line?.kind === "utterance" ? this.#utterance(line) : this.#event(entry);
    this.#isLearning = false;
    return [...output, ...this.#goOn(nowMs)];
  }

  draft(draft: Draft): NemoOutput[] {
    this.#voices.draft(draft);
    if (draft.step === undefined && draft.end === undefined) return this.#speak();
    const steps = this.#agentSteps.draft(draft);
    // Outside a turn they are kept there: the next begins with what is still being done.
    return this.#isOpen ? [...this.#steps.agent(steps), ...this.#speak()] : this.#speak();
  }

  missed(speakerUri: string, failure: string, detail?: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    return [...this.#fail(missedError({ speakerUri, failure, detail }, this.#people)), ...this.#speak()];
  }

  isAnswer(texts: readonly string[], nowMs: number): boolean {
    return this.#asking.isAnswer(texts, nowMs);
  }

  reply(texts: readonly string[], nowMs: number): MessageResult {
    const reply = this.#asking.reply(texts, nowMs);
    if (reply.kind !== "fault") return reply;
    const { isAsked, error } = reply;
    const output = isAsked ? this.#asking.again(nowMs, error.details) : this.#tellTrouble(error);
    return { kind: "lack", output, error };
  }

  replied(nowMs: number): NemoOutput[] {
    this.#asking.replied();
    return this.#goOn(nowMs);
  }

  complete(traceId?: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    const notes = this.#notes(never);
    const last = this.#voices.flush();
    const silence = this.#said === undefined ? "" : this.#voices.fill(silenceLine(this.#people, this.#said.to));
    this.#isOpen = false;
    this.#steps.end();
    const isFailed = this.#errors.size > 0 && !this.#voices.hasSpoken();
    const trace: NemoOutput[] = traceId === undefined ? [] : [{ kind: "trace", traceId }];
    return [...notes, ...deltas(last + silence), { kind: "complete", isFailed }, ...trace];
  }

  tick(nowMs: number): NemoOutput[] {
    const over = this.#asking.expire(nowMs);
    if (!this.#isOpen) return [];
    const errors = over.map((details): NemoOutput => {
      const error = { code: "workflow_error", message: "TimeoutError", details } as const;
      this.#errors.add(JSON.stringify(error));
      return { kind: "error", error };
    });
    return [...errors, ...this.#goOn(nowMs)];
  }

  nextAtMs(): number | undefined {
    let nextMs = this.#asking.nextAtMs() ?? never;
    if (this.#isOpen) {
      nextMs = Math.min(nextMs, this.#later(this.#voices.nextAtMs()), this.#later(this.#unnamed.nextAtMs()));
    }
    return nextMs === never ? undefined : nextMs;
  }

  resumed(nowMs: number): NemoOutput[] {
    return this.#isOpen ? this.#asking.again(nowMs) : [];
  }

  trouble(error: ErrorContent): NemoOutput[] {
    // A client closes a question once it is answered; this one was not.
    const again = this.#asking.unreplied() && this.#isOpen ? this.#asking.again(this.#nowMs) : [];
    return [...this.#tellTrouble(error), ...again];
  }

  remark(words: string): NemoOutput[] {
    if (!this.#isOpen) return [];
    this.#voices.line(`*(${words})*`);
    return this.#speak();
  }

  #tellTrouble(error: ErrorContent): NemoOutput[] {
    const output: NemoOutput = { kind: "error", error };
    if (!this.#isOpen) return [output, ...deltas(errorLine(error)), { kind: "complete", isFailed: true }];
    this.#errors.add(JSON.stringify(error));
    this.#voices.line(errorLine(error));
    return [output, ...this.#speak()];
  }

  #utterance(line: UtteranceLine): NemoOutput[] {
    const { dialogEvent, sender, seq, relayedFrom, isWhisper: isPrivate } = line;
    const isQuestion = this.#asking.take(line, !this.#isLearning);
    if (this.#people.isMe(sender)) this.#own(line);
    if (this.#isLearning) return [];
    const isForOthers = isPrivate && line.to !== undefined && !this.#people.isMe(line.to);
    if (this.#people.isMe(sender) || isForOthers) return [];
    const { id } = dialogEvent;
    const isPrompt = isQuestion && !this.#voices.isBegun(sender, id);
    const words = isPrompt ? "" : textOf(dialogEvent);
    const beside = besideWords(dialogEvent);
    const trouble = troubleIn(dialogEvent);
    if (words.trim() === "" && beside === "") this.#voices.forget(sender, id);
    else {
      const more = { isTrouble: trouble !== undefined, ...(relayedFrom !== undefined && { relayedFrom }) };
      this.#voices.utterance({ id, seq, sender, isPrivate, words, beside, ...more });
    }
    const steps = this.#steps.agent(this.#agentSteps.utterance(line, this.#isOpen));
    return trouble === undefined ? steps : [...steps, ...this.#fail(trouble, words.trim() !== "")];
  }

  #own({ to, isWhisper, dialogEvent }: UtteranceLine): void {
    this.#isBargeIn = false;
    if (this.#isLearning || !this.#isOpen) return;
    this.#said = { to };
    this.#voices.asked();
    const unknown = to === undefined && !isWhisper ? unknownNameLine(this.#people, textOf(dialogEvent)) : undefined;
    if (unknown !== undefined) this.#voices.line(unknown);
  }

  #event(entry: TranscriptEntry): NemoOutput[] {
    if (entry.kind === "event" && entry.event.eventType === "bye") this.#asking.drop(entry.sender);
    if (entry.kind === "event" && entry.event.eventType === "uninvite") this.#asking.drop(entry.target ?? "");
    if (this.#isLearning) return [];
    if (entry.kind === "refused" && this.#people.isMe(entry.sender)) return this.#fail(refusalOf(entry));
    if (!this.#isOwnStop(entry)) this.#unnamed.add(entry);
    const error = this.#isOfTurn(entry) ? failureIn(entry, this.#people) : undefined;
    return error ? this.#fail(error) : [];
  }

  #isOwnStop(entry: TranscriptEntry): boolean {
    if (!this.#isBargeIn || (entry.kind !== "paused" && entry.kind !== "resumed")) return false;
    return entry.by === undefined ? entry.kind === "resumed" : this.#people.isMe(entry.by);
  }

  #notes(nowMs: number): NemoOutput[] {
    const steps = this.#unnamed.take(nowMs).flatMap((note) => noteStep(note, this.#people, this.#self) ?? []);
    return steps.flatMap((step) => this.#steps.note(step));
  }

  /** A failed delivery of another person is not reported here. Before the person's message has a turn, its owner is unknown. */
  #isOfTurn(entry: TranscriptEntry): boolean {
    if (entry.kind !== "missed") return true;
    return this.#isOpen && (this.#turns.length === 0 || this.#turns.includes(entry.turn ?? ""));
  }

  /** Once in a turn; outside, the words are kept for the next one. */
  #fail(error: ErrorContent, hasWords = false): NemoOutput[] {
    const key = JSON.stringify(error);
    if (this.#isOpen && this.#errors.has(key)) return [];
    if (!hasWords) this.#voices.line(errorLine(error));
    if (!this.#isOpen) return [];
    this.#errors.add(key);
    return [{ kind: "error", error }];
  }

  #later(ms: number | undefined): number {
    return ms !== undefined && ms > this.#nowMs ? ms : never;
  }

  #speak(): NemoOutput[] {
    return deltas(this.#voices.tell(this.#nowMs));
  }

  /** Questions come after the words, and bring words of their own. */
  #goOn(nowMs: number): NemoOutput[] {
    this.#nowMs = nowMs;
    const notes = this.#notes(nowMs);
    // What was asked before may have been answered before, too.
    if (!this.#isOpen || this.#newest < this.#after) return [...notes, ...this.#speak()];
    return [...notes, ...this.#speak(), ...this.#asking.show(nowMs), ...this.#speak()];
  }
}
