import { escapeHtml, stepsIn, type Step as UtteranceStep } from "@plenary/nemo";
import type { DraftStep } from "@plenary/protocol";
import { oneLine, type UtteranceLine } from "@plenary/transcript";
import type { Draft } from "../../delivery/drafts.ts";
import type { NemoOutput } from "../participant.ts";
import type { RendererParticipants } from "./participants.ts";

type StepOutput = Extract<NemoOutput, { kind: "step" }>;

/** A step before it has its id. Keys are unique within a turn; the same key and name again replaces the step. */
export type Step = { key: string; name: string; payload: string };

/** `parent` is the key of another step of that agent. */
type AgentStep = Step & { parent?: string };

const stepsMax = 200;
const keptMax = 50;
const floorKey = "floor";

export type Steps = ReturnType<typeof createSteps>;

/**
 * The steps that clients show beside the bubble: one group of floor events for each turn, and the steps of agents.
 * `conversation` is part of each id: one socket shows several conversations, and ids must be unique.
 */
export function createSteps(conversation: string, participants: RendererParticipants) {
  const agents = createAgentSteps(participants);
  let turns = 0;
  /** Prefix of the ids of the open turn. It has the time, because the turn count starts again with the floor. */
  let prefix: string | undefined;
  let kept: { step: AgentStep; isFloor: boolean }[] = [];
  let [shown, hasMore] = [new Set<string>(), false];

  const output = ({ key, parent, name, payload }: AgentStep): StepOutput => {
    const under = parent === undefined ? {} : { parent: `${prefix}${parent}` };
    return { kind: "step", id: `${prefix}${key}`, ...under, name, payload };
  };
  const within = (step: AgentStep): NemoOutput[] => {
    if (shown.size >= stepsMax && !shown.has(step.key)) {
      const isSent = hasMore;
      hasMore = true;
      return isSent ? [] : [output({ key: "more", name: "More", payload: `More than ${stepsMax} steps: not shown` })];
    }
    shown.add(step.key);
    return [output(step)];
  };
  const nested = (step: Step): NemoOutput[] => {
    const root = { key: floorKey, name: "Floor", payload: "At the floor" };
    return [...(shown.has(floorKey) ? [] : within(root)), ...within({ ...step, parent: floorKey })];
  };
  const keep = (steps: readonly AgentStep[], isFloor: boolean): NemoOutput[] => {
    kept = [...kept, ...steps.map((step) => ({ step, isFloor }))].slice(-keptMax);
    return [];
  };
  return {
    /** A step of the floor. Outside a turn it is kept for the next one. */
    note: (step: Step) => (prefix === undefined ? keep([step], true) : nested(step)),
    /** Outside a turn nothing is kept: the next turn begins with the steps that still run. */
    draft(draft: Draft): NemoOutput[] {
      const steps = agents.draft(draft);
      return prefix === undefined ? [] : steps.flatMap(within);
    },
    utterance(line: UtteranceLine): NemoOutput[] {
      const steps = agents.utterance(line, prefix !== undefined);
      return prefix === undefined ? keep(steps, false) : steps.flatMap(within);
    },
    /** `isBargeIn`: it replaces a turn that was open. */
    begin(nowMs: number, isBargeIn: boolean): NemoOutput[] {
      turns += 1;
      prefix = `${conversation}-${nowMs.toString(36)}-${turns}-`;
      [shown, hasMore] = [new Set(), false];
      const before = kept;
      kept = [];
      const earlier = before.flatMap(({ step, isFloor }) => (isFloor ? nested(step) : within(step)));
      const stop = isBargeIn ? nested(stopped) : [];
      return [...earlier, ...stop, ...agents.begin(isBargeIn).flatMap(within)];
    },
    end(): void {
      prefix = undefined;
    },
  };
}

const stopped: Step = {
  key: "stopped",
  name: "Your earlier message was stopped",
  payload: "Your message before was stopped by this one.",
};

/** The steps of one utterance, under one step of their agent. */
type AgentWork = {
  speakerUri: string;
  dialogEventId: string;
  root: AgentStep;
  /** By the ids of the agent. Each step has a key of the floor. */
  steps: Map<string, ShownStep>;
  state: "live" | "finished" | "dropped" | "stopped";
  /** Its draft ended. */
  isOver: boolean;
};

type ShownStep = AgentStep & { title: string; state: DraftStep["state"] };

/** Works that are tracked at the same time; beyond it the oldest is dropped. */
const worksMax = 32;
const nameCharsMax = 500;
const stateWords = { running: "Running", done: "Done", failed: "Failed" } as const;

/** Steps of agents: live from their drafts, and complete from the finished utterance. */
function createAgentSteps(participants: RendererParticipants) {
  let works: AgentWork[] = [];
  let count = 0;

  const rootOf = (key: string, speakerUri: string): AgentStep => {
    return { key, name: escapeHtml(`Agent: ${participants.nameFor(speakerUri)}`), payload: "At work" };
  };
  const find = (speakerUri: string, id: string) =>
    works.find((work) => work.dialogEventId === id && participants.isSame(work.speakerUri, speakerUri));
  /** The steps of a dropped draft, such as those before a question, continue with the next utterance of the agent. */
  const start = (speakerUri: string, dialogEventId: string): AgentWork => {
    const before = works.find((work) => work.state === "dropped" && participants.isSame(work.speakerUri, speakerUri));
    if (before !== undefined) return Object.assign(before, { dialogEventId, state: "live", isOver: false });
    if (works.length >= worksMax) works.shift();
    count += 1;
    const root = rootOf(`agent-${count}`, speakerUri);
    const work: AgentWork = { speakerUri, dialogEventId, root, steps: new Map(), state: "live", isOver: false };
    works.push(work);
    return work;
  };
  const remove = (work: AgentWork) => {
    works = works.filter((one) => one !== work);
  };
  const end = (work: AgentWork, how: NonNullable<Draft["end"]>): AgentStep[] => {
    work.isOver = true;
    if (work.state === "finished" || work.state === "stopped") remove(work);
    if (how === "final" || work.state !== "live") return [];
    work.state = "dropped";
    return endRunning(work);
  };
  return {
    draft({ speakerUri, dialogEventId, to, step, end: how }: Draft): AgentStep[] {
      const isForOthers = to?.private === true && to.speakerUri !== undefined && !participants.isMe(to.speakerUri);
      if (isForOthers || participants.isMe(speakerUri)) return [];
      const known = find(speakerUri, dialogEventId);
      const work = known ?? (step === undefined ? undefined : start(speakerUri, dialogEventId));
      if (work === undefined) return [];
      const news = work.state === "live" && step !== undefined ? [applyStep(work, step)] : [];
      const first = work === known || news.length === 0 ? [] : [work.root];
      return [...first, ...news, ...(how === undefined ? [] : end(work, how))];
    },
    /** `isOpen`: a turn is open, so the steps of its draft were shown. */
    utterance({ sender, dialogEvent }: UtteranceLine, isOpen: boolean): AgentStep[] {
      const { steps } = stepsIn(dialogEvent.features);
      const work = find(sender, dialogEvent.id) ?? (steps.length > 0 ? start(sender, dialogEvent.id) : undefined);
      if (work === undefined || (work.state === "stopped" && steps.length === 0)) return [];
      const isDrafted = work.steps.size > 0;
      const isShown = isOpen && work.state === "live";
      for (const step of steps) applyFinishedStep(work, step);
      const output = steps.map(({ id, parent }) => withParent(work, id, parent));
      const rest = endRunning(work);
      const { size } = work.steps;
      work.root = { ...work.root, payload: size === 1 ? "1 step" : `${size} steps` };
      work.state = "finished";
      if (work.isOver || !isDrafted) remove(work);
      return [work.root, ...(isShown ? [...output, ...rest] : [...work.steps.values()].map(bare))];
    },
    /** A turn begins: shows the steps of running drafts from their start, unless this turn stops them. */
    begin(isBargeIn: boolean): AgentStep[] {
      works = works.filter(({ state }) => state === "live" || state === "stopped");
      if (isBargeIn) for (const work of works) work.state = "stopped";
      return works.flatMap((work) => {
        if (work.state === "stopped") return [];
        work.root = rootOf(work.root.key, work.speakerUri);
        return [work.root, ...work.steps.values()].map(bare);
      });
    },
  };
}

/** The first name stays: clients replace a step only by id and name. */
function applyStep(work: AgentWork, { id, parent, title, detail = "", state }: DraftStep): AgentStep {
  const first = work.steps.get(id)?.title ?? title;
  setStep(work, id, { title: first, state, words: [`**${stateWords[state]}**`, title === first ? "" : title, detail] });
  return withParent(work, id, parent);
}

/** A step of the finished utterance. A step that was shown keeps its name, and is done unless it failed. */
function applyFinishedStep(work: AgentWork, { id, name, payload }: UtteranceStep): void {
  const known = work.steps.get(id);
  const state = known?.state === "failed" ? "failed" : "done";
  const words = known === undefined ? [payload] : [`**${stateWords[state]}**`, payload];
  setStep(work, id, { title: known?.title ?? name, state, words });
}

function setStep(
  { root, steps }: AgentWork,
  id: string,
  { title, state, words }: Pick<ShownStep, "title" | "state"> & { words: readonly string[] },
): void {
  const known = steps.get(id);
  steps.set(id, {
    key: known?.key ?? `${root.key}-${steps.size + 1}`,
    name: known?.name ?? nameOf(title),
    payload: escapeHtml(words.filter((word) => word !== "").join("\n\n")),
    title,
    state,
  });
}

/** Under its parent if that is known, else under the agent. */
function withParent(work: AgentWork, id: string, parent: string | undefined): AgentStep {
  const above = parent === undefined || parent === id ? undefined : work.steps.get(parent);
  const step = { ...(work.steps.get(id) as ShownStep), parent: above?.key ?? work.root.key };
  work.steps.set(id, step);
  return bare(step);
}

/** The end of the utterance ends its running steps. */
function endRunning(work: AgentWork): AgentStep[] {
  return [...work.steps.values()].flatMap((step) => {
    if (step.state !== "running") return [];
    Object.assign(step, { state: "done", payload: step.payload.replace("**Running**", "**Ended**") });
    return [bare(step)];
  });
}

function bare({ key, parent, name, payload }: AgentStep): AgentStep {
  return { key, ...(parent !== undefined && { parent }), name, payload };
}

function nameOf(title: string): string {
  return escapeHtml(oneLine(title, nameCharsMax));
}
