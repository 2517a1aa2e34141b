import * as Type from "typebox";

// Strict: our own messages have exactly these keys. parse-server-message.ts reads messages of other servers.
const closed = { additionalProperties: false };

/** The toolkit uses `complete`, the published page `completed` and `failed`. */
const Status = Type.Union([
  Type.Literal("in_progress"),
  Type.Literal("complete"),
  Type.Literal("completed"),
  Type.Literal("failed"),
]);
export type Status = Type.Static<typeof Status>;

// The stock client drops a message without a conversation id.
const Id = Type.String({ minLength: 1 });

// `2026-11-15 20:40:56.753762+00:00` of the toolkit, or `2025-01-13T10:00:01Z` of the page.
const Timestamp = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\d(?: \\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\+00:00|T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z)$",
});

/** The common fields of all messages except the trace and the answer to `auth_message`. */
function frame<Name extends string, Content extends Type.TSchema>(name: Name, content: Content) {
  return {
    type: Type.Literal(name),
    id: Id,
    thread_id: Id,
    parent_id: Id,
    conversation_id: Id,
    content,
    status: Status,
    timestamp: Timestamp,
  };
}

/** `text` is a delta; null in the last message of a run. */
const SystemResponseMessage = Type.Object(
  frame("system_response_message", Type.Object({ text: Type.Union([Type.String(), Type.Null()]) }, closed)),
  closed,
);
export type SystemResponseMessage = Type.Static<typeof SystemResponseMessage>;

const StepContent = Type.Object({ name: Type.String(), payload: Type.String() }, closed);

/** Only the toolkit uses `update_message_id`. */
const SystemIntermediateMessage = Type.Object(
  {
    ...frame("system_intermediate_message", StepContent),
    intermediate_parent_id: Id,
    update_message_id: Type.Optional(Id),
  },
  closed,
);
export type SystemIntermediateMessage = Type.Static<typeof SystemIntermediateMessage>;

const errorCodes = [
  "unknown_error",
  "workflow_error",
  "invalid_message",
  "invalid_message_type",
  "invalid_user_message_content",
  "invalid_data_content",
  "user_auth_error",
] as const;
const ErrorCode = Type.Enum(errorCodes);
export type ErrorCode = (typeof errorCodes)[number];

export function isErrorCode(value: unknown): value is ErrorCode {
  return errorCodes.some((code) => code === value);
}

export const ErrorContent = Type.Object(
  { code: ErrorCode, message: Type.String(), details: Type.String() },
  { ...closed, $id: "ToolkitError" },
);
export type ErrorContent = Type.Static<typeof ErrorContent>;

const ErrorMessage = Type.Object(frame("error_message", ErrorContent), closed);
export type ErrorMessage = Type.Static<typeof ErrorMessage>;

// The stock client crashes on other types of values.
const PromptOption = Type.Object(
  { id: Type.String(), label: Type.String(), value: Type.String(), description: Type.Optional(Type.String()) },
  closed,
);
export type PromptOption = Type.Static<typeof PromptOption>;

const everyPrompt = {
  text: Type.String(),
  /** Seconds. */
  timeout: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  error: Type.String(),
};

const TextPrompt = Type.Object(
  {
    ...everyPrompt,
    input_type: Type.Literal("text"),
    placeholder: Type.Union([Type.String(), Type.Null()]),
    required: Type.Boolean(),
  },
  closed,
);

const BinaryPrompt = Type.Object(
  {
    ...everyPrompt,
    input_type: Type.Literal("binary_choice"),
    options: Type.Array(PromptOption, { minItems: 2, maxItems: 2 }),
    required: Type.Boolean(),
  },
  closed,
);

const ChoicePrompt = Type.Object(
  {
    ...everyPrompt,
    input_type: Type.Union([Type.Literal("radio"), Type.Literal("checkbox"), Type.Literal("dropdown")]),
    options: Type.Array(PromptOption, { minItems: 1 }),
    required: Type.Boolean(),
  },
  closed,
);

/** The text of an `oauth_consent` is the URL of the consent page. */
const SilentPrompt = Type.Object(
  { ...everyPrompt, input_type: Type.Union([Type.Literal("notification"), Type.Literal("oauth_consent")]) },
  closed,
);

export const PromptContent = Type.Union([TextPrompt, BinaryPrompt, ChoicePrompt, SilentPrompt], { $id: "Prompt" });
export type PromptContent = Type.Static<typeof PromptContent>;

const SystemInteractionMessage = Type.Object(frame("system_interaction_message", PromptContent), closed);
export type SystemInteractionMessage = Type.Static<typeof SystemInteractionMessage>;

const ObservabilityTraceMessage = Type.Object(
  {
    type: Type.Literal("observability_trace_message"),
    id: Id,
    parent_id: Id,
    conversation_id: Id,
    content: Type.Object({ observability_trace_id: Id }, closed),
    timestamp: Timestamp,
  },
  closed,
);
export type ObservabilityTraceMessage = Type.Static<typeof ObservabilityTraceMessage>;

const AuthResponseMessage = Type.Object(
  {
    type: Type.Literal("auth_response_message"),
    status: Type.Union([Type.Literal("success"), Type.Literal("error")]),
    user_id: Type.Union([Type.String(), Type.Null()]),
    payload: Type.Union([ErrorContent, Type.Null()]),
    timestamp: Timestamp,
  },
  closed,
);
export type AuthResponseMessage = Type.Static<typeof AuthResponseMessage>;

/** Every message of a server to a client. */
export const serverMessages = {
  SystemResponseMessage,
  SystemIntermediateMessage,
  SystemInteractionMessage,
  ErrorMessage,
  ObservabilityTraceMessage,
  AuthResponseMessage,
};

export const ServerMessage = Type.Union([
  SystemResponseMessage,
  SystemIntermediateMessage,
  SystemInteractionMessage,
  ErrorMessage,
  ObservabilityTraceMessage,
  AuthResponseMessage,
]);
export type ServerMessage = Type.Static<typeof ServerMessage>;
