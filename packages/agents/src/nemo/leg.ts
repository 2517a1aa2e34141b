import { type ClientClock, clientLimits, type Happening, NemoError } from "@plenary/nemo";
import { bye, type FloorEvent } from "@plenary/protocol";
import type { Heard, Streamed } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { shortened } from "../llm/history.ts";
import { keepOwn } from "../llm/listening.ts";
import { withError } from "../with-features.ts";
import { keepStep, stepsShown } from "./kept-steps.ts";
import { createLiveSteps } from "./live-steps.ts";
import { type Asking, isFitForConsent, questionOf } from "./question.ts";
import type { Bridge } from "./settings.ts";
import { type Clients, isBusy, type NemoState, part, type Talk } from "./state.ts";
import {
  brokenMark,
  brokenTrouble,
  brokenWords,
  cutMark,
  noLongerOpen,
  reasonOfLeaving,
  type Trouble,
  troubleWords,
  unfitConsent,
} from "./words.ts";

export type Self = { bridge: Bridge; clients: Clients };

/** Where its words go: to everyone, or to the one who whispers. */
export type Scene = Pick<Heard<NemoState>, "state" | "conversation" | "whisper" | "ask" | "signal"> & {
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
export async function* leg(talk: Talk, scene: Scene, self: Self): AsyncGenerator<Streamed> {
  const { signal } = scene;
  const stop = () => drop(talk);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let said = "";
  let isDone = false;
  try {
    for await (const piece of parts(talk, scene, self)) {
      signal.throwIfAborted();
      if (typeof piece === "string") said += piece;
      yield piece;
    }
    // Half an answer is none: whoever has lost it asks again, and must not be given it as a whole.
    signal.throwIfAborted();
    isDone = true;
    keepOwn(said, scene.whisperer, scene, self.bridge);
  } finally {
    signal.removeEventListener("abort", stop);
    if (!isDone) stop();
  }
}

/** What the workflow makes of it, nobody hears. */
export function drop(talk: Talk): void {
  const { session } = talk;
  // Another may have begun since.
  if (session.talk !== talk) return;
  session.client?.stop();
  session.talk = undefined;
}

async function* parts(talk: Talk, scene: Scene, self: Self): AsyncGenerator<Streamed> {
  const troubles: Trouble[] = [];
  const live = createLiveSteps(self.bridge.steps, self.bridge.clock);
  let chars = 0;
  let notices = 0;
  for (;;) {
    const happening = await nextOf(talk, scene, self);
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
        return yield* ended(talk, { hasWords: true, troubles }, scene, self);
      case "step":
        keepStep(talk.steps, happening.step);
        yield* live.step(happening.step);
        break;
      case "trace":
        talk.trace = happening.traceId;
        break;
      case "notification":
        notices += 1;
        if (notices <= noticesMax) yield* noticed(happening.text, talk, scene);
        break;
      case "error":
        if (troubles.length < troublesMax) troubles.push(happening.error);
        break;
      case "prompt":
      case "consent":
        yield* shown(talk, chars > 0, self);
        return yield* asked(happening, talk, scene, self);
      case "broken":
        return yield* broken(happening.error, talk, chars > 0, { scene, self });
      case "end":
      case undefined:
        return yield* ended(talk, { hasWords: chars > 0, troubles }, scene, self);
    }
  }
}

function* noticed(text: string, talk: Talk, scene: Scene): Generator<Streamed> {
  if (text.trim() !== "") yield notice(shortened(text, noticeCharsMax), talk, scene);
}

/** Something to read, which wants no answer. `id`: of the question that it takes back. */
export function notice(text: string, { asker }: Talk, { ask }: Pick<Scene, "ask">, id?: string) {
  const noted = ask({ text, inputType: "notification", ...(id !== undefined && { id }) });
  return { ...noted, to: { speakerUri: asker, private: true } };
}

/** Undefined when it was stopped. */
async function nextOf(talk: Talk, scene: Scene, self: Self): Promise<Happening | { kind: "later" } | undefined> {
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

function* shown(talk: Talk, hasWords: boolean, { bridge }: Self): Generator<Streamed> {
  if (!hasWords) return;
  yield* stepsShown(talk.steps, talk.trace, bridge.steps);
  talk.steps = [];
}

/** The workflow waits; so does the turn, and this answer is over. */
function* asked(happening: Happening, talk: Talk, scene: Scene, self: Self): Generator<Streamed> {
  const asking = askingOf(happening, self.bridge);
  if (asking === undefined) {
    yield scene.whisper(unfitConsent, talk.asker);
    drop(talk);
    return;
  }
  yield ask(asking, talk, scene, self);
}

function askingOf(happening: Happening, { clock, limits }: Bridge): Asking | undefined {
  if (happening.kind === "consent") {
    return isFitForConsent(happening.url) ? { kind: "consent", url: happening.url } : undefined;
  }
  if (happening.kind !== "prompt") return undefined;
  const { kind, number, prompt } = happening;
  // Whoever is asked sees the time that there really is, and is not held up by a question that nobody waits for.
  const { timeoutMs = limits.promptMs ?? clientLimits.promptMs } = prompt;
  return { kind, number, prompt, untilMs: clock.now() + timeoutMs };
}

/** To nobody but the one who caused the turn. */
export function ask(asking: Asking, talk: Talk, { ask, state }: Scene, { bridge }: Self, lack?: string) {
  // Asked again it is the same question: whoever was asked has one to answer, not two.
  const same = talk.waiting?.asking === asking && { id: talk.waiting.askedId };
  const question = ask({ ...questionOf(asking, bridge.clock.now(), lack), ...same });
  const askedId = same ? same.id : question.parameters.dialogEvent.id;
  talk.waiting = { askedId, asking };
  const error = asking.kind === "prompt" ? asking.prompt.error : noLongerOpen;
  keepNewest(state.questions, askedId, error, questionsMax);
  return { ...question, to: { speakerUri: talk.asker, private: true } };
}

type Ending = { hasWords: boolean; troubles: readonly Trouble[] };

function* ended(talk: Talk, { hasWords, troubles: all }: Ending, scene: Scene, self: Self): Generator<Streamed> {
  yield* shown(talk, hasWords, self);
  const troubles = talk.isLapsed ? [] : all;
  for (const trouble of talk.isByAgent ? [] : troubles) yield failed(troubleWords(trouble), trouble, talk, scene);
  for (const trouble of troubles) self.bridge.onError(new Error(`${trouble.code}: ${trouble.message}`));
  yield* counted(talk, troubles.length > 0, scene.state, self);
}

/** In words, and as what it is, for whoever can show it. */
function failed(words: string, trouble: Trouble, { asker }: Talk, { whisper }: Pick<Scene, "whisper">): FloorEvent {
  return withError(whisper(words, asker), trouble);
}

type Place = { scene: Scene; self: Self };

/** What was said until then stays said. */
function* broken(error: NemoError, talk: Talk, hasWords: boolean, { scene, self }: Place): Generator<Streamed> {
  if (hasWords) yield brokenMark(error, self.bridge);
  yield* shown(talk, hasWords, self);
  if (!hasWords && !talk.isByAgent) {
    yield failed(brokenWords(error, self.bridge), brokenTrouble(error, self.bridge), talk, scene);
  }
  self.bridge.onError(error);
  yield* counted(talk, true, scene.state, self);
}

function* counted(talk: Talk, hasFailed: boolean, state: NemoState, { clients }: Self): Generator<Streamed> {
  // One that was stopped is no failure, and another may have begun since.
  const { session } = talk;
  if (session.talk !== talk) return;
  session.talk = undefined;
  state.failures = hasFailed ? state.failures + 1 : 0;
  // Who leaves takes nobody's answer along.
  if (state.failures < failuresMax || [...state.sessions.values()].some(isBusy)) return;
  part(state, clients);
  yield bye({ reason: reasonOfLeaving });
}
