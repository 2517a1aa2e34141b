import { clientLimits, NemoError, type RunEvent } from "@plenary/nemo";
import { bye } from "@plenary/protocol";
import type { HandlerInput, StreamPart } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { recordOwn, shortened } from "../llm/history.ts";
import { orTimeout } from "../llm/stream-answer.ts";
import { withError } from "../with-features.ts";
import { isSafeConsentUrl, questionOf, type WorkflowPrompt } from "./prompts.ts";
import { closeSessions, isBusy, type NemoContext, type NemoState, type WorkflowRun } from "./session.ts";
import type { NemoConfig } from "./settings.ts";
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

/** Where the answer goes: to everyone, or to the whisperer. */
export type ReplyContext = Pick<HandlerInput<NemoState>, "state" | "conversation" | "whisper" | "ask" | "signal"> & {
  whisperer: string | undefined;
  /** When the agent gives up on the run. */
  untilMs: number;
};

/** After such a wait without an event, the answer shows that the agent is still there. */
const tickMs = 10_000;
const answerCharsMax = 100_000;
const noticesMax = 20;
const noticeCharsMax = 10_000;
const errorsMax = 3;
const failuresMax = 3;
const questionsMax = 16;

/**
 * Streams one uninterrupted part of a workflow run: to its end, or to its next question to a person. Text is the answer
 * to the utterance; everything else is for the asker alone.
 */
export async function* runUntilPause(
  run: WorkflowRun,
  context: ReplyContext,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  const { signal } = context;
  const stop = () => stopRun(run);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let said = "";
  let isDone = false;
  try {
    for await (const piece of streamRun(run, context, agent)) {
      signal.throwIfAborted();
      if (typeof piece === "string") said += piece;
      yield piece;
    }
    // An aborted answer must not count as complete: the floor delivers the utterance again and expects a whole answer.
    signal.throwIfAborted();
    isDone = true;
    recordOwn(said, context.whisperer, context, agent.config);
  } finally {
    signal.removeEventListener("abort", stop);
    if (!isDone) stop();
  }
}

/** The workflow may continue, but its output is ignored. */
export function stopRun(run: WorkflowRun): void {
  const { session } = run;
  // Another run may have started since.
  if (session.run !== run) return;
  session.client?.stop();
  session.run = undefined;
}

async function* streamRun(run: WorkflowRun, context: ReplyContext, agent: NemoContext): AsyncGenerator<StreamPart> {
  const errors: WorkflowError[] = [];
  const live = createLiveSteps(agent.config.steps, agent.config.clock);
  let chars = 0;
  let notices = 0;
  for (;;) {
    const happening = await nextHappening(run, context, agent);
    switch (happening?.kind) {
      case "tick":
        yield* live.stillWorking();
        break;
      case "delta":
        chars += happening.text.length;
        yield* live.words();
        yield happening.text;
        if (chars <= answerCharsMax) break;
        run.session.client?.stop();
        yield cutMark;
        return yield* endRun(run, { hasWords: true, errors }, context, agent);
      case "step":
        keepStep(run.steps, happening.step);
        yield* live.step(happening.step);
        break;
      case "trace":
        run.trace = happening.traceId;
        break;
      case "notification":
        notices += 1;
        if (notices <= noticesMax && happening.text.trim() !== "") {
          yield notice(shortened(happening.text, noticeCharsMax), run, context);
        }
        break;
      case "error":
        if (errors.length < errorsMax) errors.push(happening.error);
        break;
      case "prompt":
      case "consent":
        yield* stepPieces(run, chars > 0, agent);
        return yield* askOrDecline(happening, run, context, agent);
      case "broken":
        return yield* endBroken(happening.error, run, chars > 0, { context, agent });
      case "end":
      case undefined:
        return yield* endRun(run, { hasWords: chars > 0, errors }, context, agent);
    }
  }
}

/** A text without a question. `id`: the question that it replaces. */
export function notice(text: string, { asker }: WorkflowRun, { ask }: Pick<ReplyContext, "ask">, id?: string) {
  const noted = ask({ text, inputType: "notification", ...(id !== undefined && { id }) });
  return { ...noted, to: { speakerUri: asker, private: true } };
}

/** Undefined when the run was stopped. tick: no event came for a while. */
async function nextHappening(
  run: WorkflowRun,
  context: ReplyContext,
  agent: NemoContext,
): Promise<RunEvent | { kind: "tick" } | undefined> {
  run.next ??= run.happenings.next();
  const { clock, patienceMs } = agent.config;
  const result = await orTimeout(run.next, tickMs, clock.after);
  if (clock.now() >= context.untilMs && (result === undefined || isGoingOn(result))) {
    run.session.client?.stop();
    return { kind: "broken", error: new NemoError("slow", `no end within ${patienceMs / 1_000} s`) };
  }
  if (result === undefined) return { kind: "tick" };
  run.next = undefined;
  return result.done === true ? undefined : result.value;
}

/** These events do not end a run, so they do not extend its time. */
function isGoingOn({ done, value }: IteratorResult<RunEvent>): boolean {
  return done !== true && (value.kind === "delta" || value.kind === "step" || value.kind === "notification");
}

function* stepPieces(run: WorkflowRun, hasWords: boolean, { config }: NemoContext): Generator<StreamPart> {
  if (!hasWords) return;
  yield* stepsFeaturePiece(run.steps, run.trace, config.steps);
  run.steps = [];
}

/** The run waits for the person, and this answer ends. A consent at an unsafe address ends the run. */
function* askOrDecline(
  happening: RunEvent,
  run: WorkflowRun,
  context: ReplyContext,
  agent: NemoContext,
): Generator<StreamPart> {
  const prompt = promptOf(happening, agent.config);
  if (prompt === undefined) {
    yield context.whisper(unsafeConsent, run.asker);
    stopRun(run);
    return;
  }
  yield askPrompt(prompt, run, context, agent);
}

function promptOf(happening: RunEvent, { clock, limits }: NemoConfig): WorkflowPrompt | undefined {
  if (happening.kind === "consent") {
    return isSafeConsentUrl(happening.url) ? { kind: "consent", url: happening.url } : undefined;
  }
  if (happening.kind !== "prompt") return undefined;
  const { kind, number, prompt: content } = happening;
  // The question shows the time that the client really waits.
  const { timeoutMs = limits.promptMs ?? clientLimits.promptMs } = content;
  return { kind, number, content, untilMs: clock.now() + timeoutMs };
}

/** Asks the person who caused the run, in private. */
export function askPrompt(
  prompt: WorkflowPrompt,
  run: WorkflowRun,
  { ask, state }: ReplyContext,
  { config }: NemoContext,
  problem?: string,
) {
  // A repeated question keeps its id, so that the person has one question to answer, not two.
  const same = run.waiting?.prompt === prompt && { id: run.waiting.askedId };
  const question = ask({ ...questionOf(prompt, config.clock.now(), problem), ...same });
  const askedId = same ? same.id : question.parameters.dialogEvent.id;
  run.waiting = { askedId, prompt };
  const error = prompt.kind === "prompt" ? prompt.content.error : noLongerOpen;
  keepNewest(state.questions, askedId, error, questionsMax);
  return { ...question, to: { speakerUri: run.asker, private: true } };
}

type RunEnding = { hasWords: boolean; errors: readonly WorkflowError[] };

function* endRun(
  run: WorkflowRun,
  { hasWords, errors: all }: RunEnding,
  context: ReplyContext,
  agent: NemoContext,
): Generator<StreamPart> {
  yield* stepPieces(run, hasWords, agent);
  const errors = run.isExpired ? [] : all;
  for (const error of run.isByAgent ? [] : errors) {
    yield withError(context.whisper(workflowErrorText(error), run.asker), error);
  }
  for (const error of errors) agent.config.onError(new Error(`${error.code}: ${error.message}`));
  yield* countFailure(run, errors.length > 0, context.state, agent);
}

/** The text until then stays. */
function* endBroken(
  error: NemoError,
  run: WorkflowRun,
  hasWords: boolean,
  { context, agent }: { context: ReplyContext; agent: NemoContext },
): Generator<StreamPart> {
  if (hasWords) yield brokenMark(error, agent.config);
  yield* stepPieces(run, hasWords, agent);
  if (!hasWords && !run.isByAgent) {
    const text = brokenText(error, agent.config);
    yield withError(context.whisper(text, run.asker), brokenError(error, agent.config));
  }
  agent.config.onError(error);
  yield* countFailure(run, true, context.state, agent);
}

function* countFailure(
  run: WorkflowRun,
  hasFailed: boolean,
  state: NemoState,
  { clients }: NemoContext,
): Generator<StreamPart> {
  // A stopped run is no failure, and another run may have started since.
  const { session } = run;
  if (session.run !== run) return;
  session.run = undefined;
  state.failures = hasFailed ? state.failures + 1 : 0;
  // The agent does not leave while it works for another person.
  if (state.failures < failuresMax || [...state.sessions.values()].some(isBusy)) return;
  closeSessions(state, clients);
  yield bye({ reason: leaveReason });
}
