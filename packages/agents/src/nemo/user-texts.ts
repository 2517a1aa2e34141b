import type { Happening, NemoError } from "@plenary/nemo";
import { shortened } from "../llm/history.ts";

export type WorkflowError = Extract<Happening, { kind: "error" }>["error"];

const errorCharsMax = 600;

export const leaveReason = "@error the workflow failed three times in a row";

export const waitsForAnother =
  "I am waiting for somebody's answer to a question of mine; after that I come back to what you said.";

export const tooMany = "Sorry, I am at work for too many people just now. Please ask me again in a moment.";

export const noLongerOpen = "That question is no longer open.";

export const questionDropped = "I left my question, since you went on to something else.";

export const cancelled = "Cancelled: I stopped, and nothing of it was used.";

export const cutMark = " … (cut: the answer is too long)";

/** An address that nobody should be sent to is not passed on. */
export const unsafeConsent = "My workflow asks for a consent at an address that I do not pass on.";

export function workflowErrorText({ message, details }: WorkflowError): string {
  const what = [message, details].filter((words) => words !== "").join(": ") || "it did not say why";
  return `Sorry, my workflow failed: ${shortened(what, errorCharsMax)}`;
}

const reasons: Record<Exclude<NemoError["code"], "slow">, string> = {
  unreachable: "my workflow cannot be reached",
  refused: "my workflow does not accept my credential",
  closed: "the connection to my workflow broke off",
  "lost-prompt": "my workflow lost its question when the connection broke, so your answer did not reach it",
  silent: "my workflow stopped answering",
  "too-much": "my workflow does not come to an end",
  unanswered: "nobody answered the question of my workflow in time",
};

type Patience = { patienceMs: number };

function reasonOf({ code }: NemoError, { patienceMs }: Patience): string {
  return code === "slow" ? `my workflow was not done after ${durationText(patienceMs)}` : reasons[code];
}

function durationText(ms: number): string {
  const [count, unit] = ms >= 120_000 ? [Math.floor(ms / 60_000), "minute"] : [Math.floor(ms / 1_000), "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export function brokenText(error: NemoError, patience: Patience): string {
  return `Sorry, ${reasonOf(error, patience)}. Please ask me again in a moment.`;
}

/** The same for a client that shows errors, by the names that the toolkit has for them. */
export function brokenError(error: NemoError, patience: Patience): WorkflowError {
  const message = late.has(error.code) ? "TimeoutError" : "ConnectionError";
  return { code: "workflow_error", message, details: reasonOf(error, patience) };
}

const late: ReadonlySet<NemoError["code"]> = new Set(["slow", "silent", "unanswered", "too-much"]);

export function brokenMark(error: NemoError, patience: Patience): string {
  return ` … (broken off: ${reasonOf(error, patience)})`;
}
