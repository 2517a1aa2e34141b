import { orLater } from "../../llm/reply.ts";
import type { Mind } from "../../llm/settings.ts";
import type { Sight } from "../policy.ts";
import { patient } from "./backoff.ts";
import { type Counsellor, counsel, type Reliance } from "./counsel.ts";
import type { Advice } from "./policy.ts";
import { askingOf, type Said } from "./prompt.ts";
import type { Question } from "./question.ts";

type Asked = {
  question: Question;
  sight: Sight;
  /** What was said to everyone, oldest first. */
  recent: readonly Said[];
  /** How far the answers in this conversation are relied on. */
  answers: Reliance;
  signal: AbortSignal;
};

/** Undefined: the chair rules without. Never later than the deadline. */
export type Adviser = (asked: Asked) => Promise<Advice | undefined>;

type AdviserOptions = { deadlineMs: number; nowMs: () => number };

/** Of the time there is: whatever else is slow has the rest. */
const modelShare = 0.9;

export function createAdviser(mind: Mind, { deadlineMs, nowMs }: AdviserOptions): Adviser {
  const counsellor: Counsellor = { mind, endpoint: { patience: patient }, nowMs };
  return async ({ question, sight, recent, answers, signal }) => {
    const mark = `----- ${crypto.randomUUID()}`;
    const asking = askingOf({ question, sight, recent, instructions: mind.instructions, mark });
    const late = new AbortController();
    const occasion = { answers, timeMs: Math.round(deadlineMs * modelShare) };
    try {
      const chosen = counsel(asking, counsellor, { ...occasion, signal: AbortSignal.any([signal, late.signal]) });
      const choice = await orLater(chosen, deadlineMs);
      return choice && { question, choice, speakerUri: asking.speakerOf(choice.choice) };
    } finally {
      late.abort();
    }
  };
}
