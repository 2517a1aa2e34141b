import { type ClientClock, clientLimits, type Happening, NemoError } from "@plenary/nemo";
import { bye, type FloorEvent } from "@plenary/protocol";
import type { Heard, Streamed } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { shortened } from "../llm/history.ts";
import { recordOwn } from "../llm/history-store.ts";
import { withError } from "../with-features.ts";
import { isSafeConsentUrl, questionOf, type WorkflowPrompt } from "./prompts.ts";
import type { NemoConfig } from "./settings.ts";
import { type Clients, closeSessions, isBusy, type NemoState, type WorkflowRun } from "./state.ts";
import { createLiveSteps, keepStep, stepsFeaturePiece } from "./steps.ts";
import {
  brokenError,
  brokenMark,
  brokenText,
  cutMark,
  leaveReason,
  noLongerOpen,
  unsafeConsent,
  type WorkflowError,
  workflowErrorText,
} from "./user-texts.ts";

export type NemoContext = { bridge: NemoConfig; clients: Clients };

/** Where its words go: to everyone, or to the one who whispers. */
export type ReplyContext = Pick<Heard<NemoState>, "state" | "conversation" | "whisper" | "ask" | "signal"> & {
  whisperer: string | undefined;
  /** When whoever waits for all of it has waited enough. */
  untilMs: number;
};

/** How long the next word is waited for before others are shown that somebody is still there. */
const tickMs = 10_000;
const answerCharsMax = 100_000;
const noticesMax = 20;
const noticeCharsMax = 10_000;
const troublesMax = 3;
const failuresMax = 3;
const questionsMax = 16;

/**
 * A turn as far as it goes without a person: to its end, or to its next question. Its words are the answer to what was
 * said; all else is for the asker alone.
 */
export async function* runUntilPause(
  talk: WorkflowRun,
  scene: ReplyContext,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  const { signal } = scene;
  const stop = () => stopRun(talk);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let said = "";
  let isDone = false;
  try {
    for await (const piece of streamRun(talk, scene, self)) {
      signal.throwIfAborted();
      if (typeof piece === "string") said += piece;
      yield piece;
    }
    // Half an answer is none: whoever has lost it asks again, and must not be given it as a whole.
    signal.throwIfAborted();
    isDone = true;
    recordOwn(said, scene.whisperer, scene, self.bridge);
  } finally {
    signal.removeEventListener("abort", stop);
    if (!isDone) stop();
  }
}

/** What the workflow makes of it, nobody hears. */
export function stopRun(talk: WorkflowRun): void {
  const { session } = talk;
  // Another may have begun since.
  if (session.run !== talk) return;
  session.client?.stop();
  session.run = undefined;
}

async function* streamRun(talk: WorkflowRun, scene: ReplyContext, self: NemoContext): AsyncGenerator<Streamed> {
  const troubles: WorkflowError[] = [];
  const live = createLiveSteps(self.bridge.steps, self.bridge.clock);
  let chars = 0;
  let notices = 0;
  for (;;) {
    const happening = await nextHappening(talk, scene, self);
    switch (happening?.kind) {
      case "later":
        yield* live.later();
        break;
      case "delta":
        chars += happening.text.length;
        yield* live.words();
        yield happening.text;
        if (chars <= answerCharsMax) break;
        talk.session.client?.stop();
        yield cutMark;
        return yield* endRun(talk, { hasWords: true, troubles }, scene, self);
      case "step":
        keepStep(talk.steps, happening.step);
        yield* live.step(happening.step);
        break;
      case "trace":
        talk.trace = happening.traceId;
        break;
      case "notification":
        notices += 1;
        if (notices <= noticesMax) yield* notification(happening.text, talk, scene);
        break;
      case "error":
        if (troubles.length < troublesMax) troubles.push(happening.error);
        break;
      case "prompt":
      case "consent":
        yield* stepPieces(talk, chars > 0, self);
        return yield* askOrDecline(happening, talk, scene, self);
      case "broken":
        return yield* endBroken(happening.error, talk, chars > 0, { scene, self });
      case "end":
      case undefined:
        return yield* endRun(talk, { hasWords: chars > 0, troubles }, scene, self);
    }
  }
}

function* notification(text: string, talk: WorkflowRun, scene: ReplyContext): Generator<Streamed> {
  if (text.trim() !== "") yield notice(shortened(text, noticeCharsMax), talk, scene);
}

/** Something to read, which wants no answer. `id`: of the question that it takes back. */
export function notice(text: string, { asker }: WorkflowRun, { ask }: Pick<ReplyContext, "ask">, id?: string) {
  const noted = ask({ text, inputType: "notification", ...(id !== undefined && { id }) });
  return { ...noted, to: { speakerUri: asker, private: true } };
}

/** Undefined when it was stopped. */
async function nextHappening(
  talk: WorkflowRun,
  scene: ReplyContext,
  self: NemoContext,
): Promise<Happening | { kind: "later" } | undefined> {
  talk.next ??= talk.happenings.next();
  const { clock, patienceMs } = self.bridge;
  const result = await orTick(talk.next, clock);
  if (clock.now() >= scene.untilMs && (result === undefined || isGoingOn(result))) {
    talk.session.client?.stop();
    return { kind: "broken", error: new NemoError("slow", `no end within ${patienceMs / 1_000} s`) };
  }
  if (result === undefined) return { kind: "later" };
  talk.next = undefined;
  return result.done === true ? undefined : result.value;
}

/** Undefined when it takes longer than a tick. */
async function orTick<Value>(value: Promise<Value>, { after }: ClientClock): Promise<Value | undefined> {
  let cancel = () => {};
  const tick = new Promise<undefined>((resolve) => {
    cancel = after(tickMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([value, tick]);
  } finally {
    cancel();
  }
}

/** One that says something now and then has no end either. */
function isGoingOn({ done, value }: IteratorResult<Happening>): boolean {
  return done !== true && (value.kind === "delta" || value.kind === "step" || value.kind === "notification");
}

function* stepPieces(talk: WorkflowRun, hasWords: boolean, { bridge }: NemoContext): Generator<Streamed> {
  if (!hasWords) return;
  yield* stepsFeaturePiece(talk.steps, talk.trace, bridge.steps);
  talk.steps = [];
}

/** The workflow waits; so does the turn, and this answer is over. */
function* askOrDecline(
  happening: Happening,
  talk: WorkflowRun,
  scene: ReplyContext,
  self: NemoContext,
): Generator<Streamed> {
  const asking = promptOf(happening, self.bridge);
  if (asking === undefined) {
    yield scene.whisper(unsafeConsent, talk.asker);
    stopRun(talk);
    return;
  }
  yield askPrompt(asking, talk, scene, self);
}

function promptOf(happening: Happening, { clock, limits }: NemoConfig): WorkflowPrompt | undefined {
  if (happening.kind === "consent") {
    return isSafeConsentUrl(happening.url) ? { kind: "consent", url: happening.url } : undefined;
  }
  if (happening.kind !== "prompt") return undefined;
  const { kind, number, prompt } = happening;
  // Whoever is asked sees the time that there really is, and is not held up by a question that nobody waits for.
  const { timeoutMs = limits.promptMs ?? clientLimits.promptMs } = prompt;
  return { kind, number, prompt, untilMs: clock.now() + timeoutMs };
}

/** To nobody but the one who caused the turn. */
export function askPrompt(
  asking: WorkflowPrompt,
  talk: WorkflowRun,
  { ask, state }: ReplyContext,
  { bridge }: NemoContext,
  lack?: string,
) {
  // Asked again it is the same question: whoever was asked has one to answer, not two.
  const same = talk.waiting?.prompt === asking && { id: talk.waiting.askedId };
  const question = ask({ ...questionOf(asking, bridge.clock.now(), lack), ...same });
  const askedId = same ? same.id : question.parameters.dialogEvent.id;
  talk.waiting = { askedId, prompt: asking };
  const error = asking.kind === "prompt" ? asking.prompt.error : noLongerOpen;
  keepNewest(state.questions, askedId, error, questionsMax);
  return { ...question, to: { speakerUri: talk.asker, private: true } };
}

type RunEnding = { hasWords: boolean; troubles: readonly WorkflowError[] };

function* endRun(
  talk: WorkflowRun,
  { hasWords, troubles: all }: RunEnding,
  scene: ReplyContext,
  self: NemoContext,
): Generator<Streamed> {
  yield* stepPieces(talk, hasWords, self);
  const troubles = talk.isExpired ? [] : all;
  for (const trouble of talk.isByAgent ? [] : troubles)
    yield errorWhisper(workflowErrorText(trouble), trouble, talk, scene);
  for (const trouble of troubles) self.bridge.onError(new Error(`${trouble.code}: ${trouble.message}`));
  yield* countFailure(talk, troubles.length > 0, scene.state, self);
}

/** In words, and as what it is, for whoever can show it. */
function errorWhisper(
  words: string,
  trouble: WorkflowError,
  { asker }: WorkflowRun,
  { whisper }: Pick<ReplyContext, "whisper">,
): FloorEvent {
  return withError(whisper(words, asker), trouble);
}

type Place = { scene: ReplyContext; self: NemoContext };

/** What was said until then stays said. */
function* endBroken(
  error: NemoError,
  talk: WorkflowRun,
  hasWords: boolean,
  { scene, self }: Place,
): Generator<Streamed> {
  if (hasWords) yield brokenMark(error, self.bridge);
  yield* stepPieces(talk, hasWords, self);
  if (!hasWords && !talk.isByAgent) {
    yield errorWhisper(brokenText(error, self.bridge), brokenError(error, self.bridge), talk, scene);
  }
  self.bridge.onError(error);
  yield* countFailure(talk, true, scene.state, self);
}

function* countFailure(
  talk: WorkflowRun,
  hasFailed: boolean,
  state: NemoState,
  { clients }: NemoContext,
): Generator<Streamed> {
  // One that was stopped is no failure, and another may have begun since.
  const { session } = talk;
  if (session.run !== talk) return;
  session.run = undefined;
  state.failures = hasFailed ? state.failures + 1 : 0;
  // Who leaves takes nobody's answer along.
  if (state.failures < failuresMax || [...state.sessions.values()].some(isBusy)) return;
  closeSessions(state, clients);
  yield bye({ reason: leaveReason });
}
