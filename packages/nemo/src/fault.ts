import { isRecord } from "@plenary/protocol";
import type { ErrorCode, ErrorContent } from "./server-message.ts";

/** Why something could not be read. */
export type Fault = { fault: ErrorContent };

const words: Record<ErrorCode, string> = {
  unknown_error: "Something went wrong",
  workflow_error: "An agent failed",
  invalid_message: "The message could not be read",
  invalid_message_type: "The type of the message is not known here",
  invalid_user_message_content: "The message says nothing",
  invalid_data_content: "A part of the message has the wrong shape",
  user_auth_error: "Authentication failed",
};

/** `details` never quotes a value of the message: it might be a credential. */
export function fault(code: ErrorCode, details: string): Fault {
  return { fault: { code, message: words[code], details } };
}

export function isFault(value: unknown): value is Fault {
  return isRecord(value) && "fault" in value;
}
