import type { NemoError, RunEvent } from "@plenary/nemo";
import { shortened } from "../llm/history.ts";

export type WorkflowError = Extract<RunEvent, { kind: "error" }>["error"];

const errorCharsMax = 600;

export const leaveReason = "@error the workflow failed three times in a row";

export const waitsForAnother =
  "I am waiting for another person's answer to my question. After that I will come back to you.";

export const tooMany = "Sorry, I am working for too many people right now. Please ask me again in a moment.";

export const noLongerOpen = "That question is no longer open.";

export const questionDropped = "I dropped my question, because you went on to something else.";

export const cancelled = "Cancelled: I stopped without your consent.";

export const cutMark = " … (cut: the answer is too long)";

export const unsafeConsent = "My workflow asks for consent at an address that is not safe, so I do not show it.";

export function workflowErrorText({ message, details }: WorkflowError): string {
  const what = [message, details].filter((words) => words !== "").join(": ") || "it gave no reason";
  return `Sorry, my workflow failed: ${shortened(what, errorCharsMax)}`;
}

const reasons: Record<Exclude<NemoError["code"], "slow">, string> = {
  unreachable: "my workflow cannot be reached",
  refused: "my workflow does not accept my credential",
  closed: "the connection to my workflow was lost",
  "lost-prompt": "my workflow lost its question when the connection was lost, so it did not get your answer",
  silent: "my workflow stopped answering",
  "too-much": "my workflow sends too much",
  unanswered: "the question of my workflow got no answer in time",
};

type Patience = { patienceMs: number };

function reasonOf({ code }: NemoError, { patienceMs }: Patience): string {
  return code === "slow" ? `my workflow was not finished after ${durationText(patienceMs)}` : reasons[code];
}

function durationText(ms: number): string {
  const [count, unit] = ms >= 120_000 ? [Math.floor(ms / 60_000), "minute"] : [Math.floor(ms / 1_000), "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export function brokenText(error: NemoError, patience: Patience): string {
  return `Sorry, ${reasonOf(error, patience)}. Please ask me again in a moment.`;
}

/** The error feature for clients that show errors, with the toolkit's names. */
export function brokenError(error: NemoError, patience: Patience): WorkflowError {
  const message = late.has(error.code) ? "TimeoutError" : "ConnectionError";
  return { code: "workflow_error", message, details: reasonOf(error, patience) };
}

const late: ReadonlySet<NemoError["code"]> = new Set(["slow", "silent", "unanswered", "too-much"]);

export function brokenMark(error: NemoError, patience: Patience): string {
  return ` … (interrupted: ${reasonOf(error, patience)})`;
}
