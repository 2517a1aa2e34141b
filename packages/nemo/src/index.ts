export { NemoClient } from "./client/client.ts";
export {
  type ClientClock,
  type ClientLimits,
  clientLimits,
  type RunEvent,
  type RunRequest,
  type SocketDialler,
} from "./client/client-options.ts";
export { NemoError } from "./client/nemo-error.ts";
export {
  errorFeature,
  errorFeatureName,
  errorIn,
  errorMimeType,
  type Step,
  stepsFeature,
  stepsFeatureName,
  stepsIn,
  stepsMimeType,
} from "./features.ts";
export { escapeHtml } from "./format-text.ts";
export {
  type ChatRequest,
  chatChunk,
  chatCompletion,
  dataLine,
  doneLine,
  eventLine,
  parseChatRequest,
  stepLine,
  stepTypeOf,
  traceLine,
  typedStepLine,
  usageChunk,
  valueLine,
} from "./http/chat-completions.ts";
export { parseInteractionResponse } from "./http/interaction-response.ts";
export {
  createResponseEvents,
  parseResponsesRequest,
  type ResponseHead,
  type ResponsesRequest,
  responseObject,
} from "./http/responses.ts";
export type {
  AuthMessage,
  ChatMessage,
  ClientMessage,
  Credential,
  Part,
  SchemaType,
  UserInteractionMessage,
  UserMessage,
} from "./messages/client-message.ts";
export { credentialOf } from "./messages/credential.ts";
export { authMessage, userInteractionMessage, userMessage } from "./messages/make-client-message.ts";
export {
  authResponse,
  completeMessage,
  errorMessage,
  interactionMessage,
  intermediateMessage,
  type Profile,
  responseHead,
  responseMessage,
  responseTail,
  type Stamp,
  traceMessage,
} from "./messages/make-server-message.ts";
export { earlierThanNow, textOfParts } from "./messages/message-parts.ts";
export { type ParsedClientMessage, parseClientMessage } from "./messages/parse-client-message.ts";
export { type ParsedServerMessage, parseServerMessage } from "./messages/parse-server-message.ts";
export type { ServerPrompt } from "./messages/prompt.ts";
export { noLongerAvailable, optionLines, promptContent, severalAdvice } from "./messages/prompt.ts";
export {
  type AuthResponseMessage,
  type ErrorCode,
  ErrorContent,
  type ErrorMessage,
  type ObservabilityTraceMessage,
  PromptContent,
  type PromptOption,
  ServerMessage,
  type Status,
  type SystemInteractionMessage,
  type SystemIntermediateMessage,
  type SystemResponseMessage,
  serverMessages,
} from "./messages/server-message.ts";
