import type { ErrorCode, ErrorContent } from "@plenary/nemo";
import type { ProcessContext } from "../context.ts";
import { isOurs, Problem, type ProblemCode, problemDocument } from "../errors.ts";
import type { NemoOutput } from "./participant.ts";

const codes: Partial<Record<ProblemCode, ErrorCode>> = {
  "bad-json": "invalid_message",
  "bad-request": "invalid_data_content",
  "bad-envelope": "invalid_data_content",
  "too-large": "invalid_data_content",
  "unsupported-media": "invalid_message",
  unauthorized: "user_auth_error",
  forbidden: "user_auth_error",
  "forbidden-speaker": "user_auth_error",
};

/** Titles for messages that were parsed but cannot be sent: the recipient is unknown, or there is no text. */
const titles: Partial<Record<ProblemCode, string>> = {
  "bad-request": "This message cannot be taken",
  "too-large": "This message is too large",
};

/** The problem in the error format of NeMo: what is wrong, where, and how to fix it. */
export function errorOf(error: unknown, server: Pick<ProcessContext, "onError" | "ids">): ErrorContent {
  if (isOurs(error)) server.onError(error);
  const { title, detail, fix, retryAfter } = problemDocument(error, server.ids.random);
  const kind = error instanceof Problem ? error.code : undefined;
  const code = (kind && codes[kind]) ?? "workflow_error";
  const message = (kind && titles[kind]) ?? title;
  // The title already says that it is not JSON.
  const what = detail?.replace(/^this is not JSON: /u, "");
  const again = retryAfter === undefined ? "" : ` (retryAfter: ${retryAfter} s)`;
  return { code, message, details: `${what === undefined ? "" : `${what}: `}${fix}${again}` };
}

export function sentenceOf({ message, details }: Pick<ErrorContent, "message" | "details">): string {
  return `${message}: ${details}`;
}

/** A stock client shows an error only beside some text, and waits until the turn is over. */
export function errorOutput(error: ErrorContent): NemoOutput[] {
  const text = `${sentenceOf(error)}\n`;
  return [
    { kind: "error", error },
    { kind: "delta", text },
    { kind: "complete", isFailed: true },
  ];
}

/** Notices for a turn whose wait is over. */
export const stillAtWork = "An agent is still working on this.";
export const comesLater = "The answer comes with the next message.";

/** Another request opened a conversation with this id first. */
export function isTaken(error: unknown): boolean {
  return error instanceof Problem && error.details.extra?.because === "command/open/taken";
}

/** The same text for unknown and foreign conversations, so that it does not reveal which ids exist. */
export function unknownConversation(): Problem {
  const fix = "begin one of your own under another conversation_id";
  return new Problem("unknown-conversation", { detail: "this conversation is unknown, or not yours", fix });
}
