import { type FloorEvent, foldUri, isSameUri, textOf } from "@plenary/protocol";
import { revoke } from "../events.ts";
import { isAloud, isGranted, isOwner } from "../floor-view.ts";
import type { Chair, Matter, Ruling, Sight } from "../policy.ts";
import { type Line, placeOf, toHead } from "../speaker-queue.ts";
import { patient } from "./backoff.ts";
import { type Choice, reasonOf } from "./choice.ts";
import type { Reliance } from "./counsel.ts";
import { recentMax, type Said, wordsCharsMax } from "./prompt.ts";
import { type Question, questionAbout } from "./question.ts";

/** How often something happened to a speaker, by its folded speakerUri. */
type Counts = Readonly<Record<string, number>>;

export type Discretion = {
  line: Line;
  /** Requests in a row that were refused. */
  refused: Counts;
  /** How often somebody who had waited for less long was preferred. */
  passedOver: Counts;
  /** What was let through beside whoever has the floor now. */
  interposed: Counts;
  /** What was said to everyone, oldest first. */
  recent: readonly Said[];
  /** For whoever asks the model; no rule looks at it. */
  answers: Reliance;
};

/** What was chosen, and whom it means where it is a speaker. */
export type Advice = { question: Question; choice: Choice; speakerUri?: string | undefined };

/** Without advice it rules like the chair that it is made of. */
export type AdvisedChair = Chair<Discretion> & {
  /** What it would like to be advised on before it rules. */
  wish: (state: Discretion, matter: Matter, sight: Sight) => Question | undefined;
  /** Time has passed since it wished for that, and the advice may have lost its sense: then it rules without. */
  ruleBy: (advice: Advice, state: Discretion, matter: Matter, sight: Sight) => Ruling<Discretion>;
};

// Where it has happened so often, the rule decides: nobody starves or is talked over, whatever a model was told.
const refusedMax = 2;
const passedOverMax = 2;
const interposedMax = 2;
const choicesMax = 20;

/** Leaves to discretion what a chair with a queue need not insist on. */
export function withDiscretion(base: Chair<Line>): AdvisedChair {
  const { remember, ...about } = base;
  const rule: AdvisedChair["rule"] = (state, matter, sight) => {
    const { state: line, ...ruling } = base.rule(state.line, matter, sight);
    const recent = matter.kind === "told" ? kept(state.recent, [matter.event], matter.sender) : state.recent;
    const next = settled({ ...state, line }, ruling.events, sight);
    return { ...ruling, state: { ...next, recent: kept(recent, ruling.events) } };
  };
  const wish: AdvisedChair["wish"] = (state, matter, sight) => {
    const ruling = base.rule(state.line, matter, sight);
    const question = questionAbout(matter, sight) ?? nextOf(state, ruling, sight);
    return question === undefined || isRuled(question, state, ruling, sight) ? undefined : question;
  };
  return {
    ...about,
    name: "llm",
    newState: () => discretionOver(base.newState()),
    ...(remember && { remember: (past, sight: Sight) => discretionOver(remember(past, sight)) }),
    ...{ rule, wish },
    ruleBy({ question: asked, choice: { choice, why }, speakerUri }, state, matter, sight) {
      const question = wish(state, matter, sight);
      if (question?.kind !== asked.kind) return rule(state, matter, sight);
      if (question.kind === "next") return rule(preferring(speakerUri, state, question.waiting), matter, sight);
      // Approved, a request still waits for its turn, and who is invited for its own.
      const deed =
        choice === "refuse" ? refusing(question, reasonOf(why), state) : lettingThrough(question, choice, state);
      if (deed === undefined) return rule(state, matter, sight);
      // Whatever else the chair has to see to does not wait for a matter that it rules on itself.
      const upkeep = rule(deed.state, { kind: "time" }, sight);
      const recent = kept(upkeep.state.recent, deed.events);
      return { ...upkeep, state: { ...upkeep.state, recent }, events: [...deed.events, ...upkeep.events] };
    },
  };
}

type Deed = Pick<Ruling<Discretion>, "state" | "events">;

function discretionOver(line: Line): Discretion {
  return { line, refused: {}, passedOver: {}, interposed: {}, recent: [], answers: { patience: patient } };
}

/** A choice is left where the chair grants the floor to one of several who wait. */
function nextOf({ line }: Discretion, { events }: Ruling<Line>, sight: Sight): Question | undefined {
  const waiting = line.waiting.slice(0, choicesMax).map(({ speakerUri }) => speakerUri);
  const [chosen, another] = events.filter(({ eventType }) => eventType === "grantFloor");
  if (chosen === undefined || another !== undefined || waiting.length < 2) return undefined;
  const isOwners = waiting.some((one) => isOwner(one, sight));
  return isOwners || !isAmong(chosen.to?.speakerUri ?? "", waiting) ? undefined : { kind: "next", waiting };
}

/** There is a question, but the answer is not left to discretion. */
function isRuled(question: Question, state: Discretion, { events }: Ruling<Line>, sight: Sight): boolean {
  const { line, refused, interposed, passedOver } = state;
  switch (question.kind) {
    case "floor":
      // Who asks again keeps its place.
      return placeOf(line, question.about) !== -1 || countOf(refused, question.about) >= refusedMax;
    case "words": {
      const { sender } = question;
      const isBehind = (line.waiting[placeOf(line, sender)]?.words ?? []).length > 0;
      return isBehind || isGranted(sender, sight) || countOf(interposed, sender) >= interposedMax;
    }
    case "invite":
    case "uninvite":
      // A model may be stricter than the rules about who comes and goes, and never laxer.
      return !events.includes(question.event);
    case "next":
      return question.waiting.some((one) => countOf(passedOver, one) >= passedOverMax);
  }
}

function preferring(speakerUri: string | undefined, state: Discretion, waiting: readonly string[]): Discretion {
  const at = waiting.findIndex((one) => speakerUri !== undefined && isSameUri(one, speakerUri));
  const chosen = waiting[at];
  if (chosen === undefined) return state;
  const passedOver = waiting.slice(0, at).reduce(counted, state.passedOver);
  return { ...state, line: toHead(state.line, chosen), passedOver };
}

/** Undefined where the chair rules on it as ever. */
function lettingThrough(question: Refusable, choice: string, state: Discretion): Deed | undefined {
  if (question.kind !== "words" || choice !== "approve") return undefined;
  const { event, sender } = question;
  const interposed = state.line.holder === undefined ? state.interposed : counted(state.interposed, sender);
  return { state: { ...state, interposed }, events: [event] };
}

type Refusable = Exclude<Question, { kind: "next" }>;

function refusing(question: Refusable, reason: string, state: Discretion): Deed {
  if (question.kind === "words") return { state, events: [revoke(question.sender, reason)] };
  // Whoever invites may have the floor, and keeps it: what is not passed on is dropped, and the floor tells it so.
  if (question.kind !== "floor") return { state, events: [] };
  const refused = counted(state.refused, question.about);
  return { state: { ...state, refused }, events: [revoke(question.about, reason)] };
}

/** Who has the floor, or has left, starts anew. */
function settled(state: Discretion, events: readonly FloorEvent[], { conversants }: Sight): Discretion {
  const granted = events.flatMap(({ eventType, to }) => (eventType === "grantFloor" ? (to?.speakerUri ?? []) : []));
  const kept = conversants.map(({ speakerUri }) => speakerUri).filter((one) => !isAmong(one, granted));
  const { refused, passedOver, interposed } = state;
  return {
    ...state,
    ...{ refused: only(kept, refused), passedOver: only(kept, passedOver) },
    interposed: granted.length > 0 || state.line.holder === undefined ? {} : interposed,
  };
}

/** What the convener passes on does not come back to it, and whoever speaks in its turn is named there. */
function kept(recent: readonly Said[], events: readonly FloorEvent[], sender?: string): readonly Said[] {
  const said = events.filter(isAloud).map(({ parameters: { dialogEvent } }) => ({
    speakerUri: sender ?? dialogEvent.speakerUri,
    text: textOf(dialogEvent).slice(0, wordsCharsMax),
  }));
  return said.length === 0 ? recent : [...recent, ...said].slice(-recentMax);
}

function only(speakers: readonly string[], counts: Counts): Counts {
  const folded = new Set(speakers.map(foldUri));
  return Object.fromEntries(Object.entries(counts).filter(([speaker]) => folded.has(speaker)));
}

function counted(counts: Counts, speakerUri: string): Counts {
  return { ...counts, [foldUri(speakerUri)]: countOf(counts, speakerUri) + 1 };
}

function countOf(counts: Counts, speakerUri: string): number {
  const key = foldUri(speakerUri);
  return Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0;
}

function isAmong(speakerUri: string, others: readonly string[]): boolean {
  return others.some((other) => isSameUri(other, speakerUri));
}
