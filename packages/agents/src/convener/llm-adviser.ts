import type { LlmConfig } from "../llm/settings.ts";
import { orTimeout } from "../llm/stream-answer.ts";
import type { Sight } from "./chair.ts";
import type { Advice } from "./llm-chair.ts";
import { type Counsellor, counsel, type Reliance } from "./llm-counsel.ts";
import { patient } from "./llm-patience.ts";
import { askingOf, type Said } from "./llm-prompt.ts";
import type { Question } from "./llm-question.ts";

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

export function createAdviser(mind: LlmConfig, { deadlineMs, nowMs }: AdviserOptions): Adviser {
  const counsellor: Counsellor = { mind, endpoint: { patience: patient }, nowMs };
  return async ({ question, sight, recent, answers, signal }) => {
    const mark = `----- ${crypto.randomUUID()}`;
    const asking = askingOf({ question, sight, recent, instructions: mind.instructions, mark });
    const late = new AbortController();
    const occasion = { answers, timeMs: Math.round(deadlineMs * modelShare) };
    try {
      const chosen = counsel(asking, counsellor, { ...occasion, signal: AbortSignal.any([signal, late.signal]) });
      const choice = await orTimeout(chosen, deadlineMs);
      return choice && { question, choice, speakerUri: asking.speakerOf(choice.choice) };
    } finally {
      late.abort();
    }
  };
}
