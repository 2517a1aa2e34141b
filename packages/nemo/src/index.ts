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
} from "./chat-http.ts";
export { NemoClient } from "./client.ts";
export { NemoError } from "./client-error.ts";
export type {
  AuthMessage,
  ChatMessage,
  ClientMessage,
  Credential,
  Part,
  SchemaType,
  UserInteractionMessage,
  UserMessage,
} from "./client-message.ts";
export {
  type ClientClock,
  type ClientLimits,
  clientLimits,
  type Happening,
  type SocketDialler,
  type TurnRequest,
} from "./client-port.ts";
export { credentialOf } from "./credential.ts";
export { errorFeature, errorFeatureName, errorIn, errorMimeType } from "./error-feature.ts";
export { escaped } from "./escape.ts";
export { parseInteractionResponse } from "./interaction-http.ts";
export { authMessage, userInteractionMessage, userMessage } from "./make-client-message.ts";
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
} from "./make-server-message.ts";
export { type ClientSaid, parseClientMessage } from "./parse-client-message.ts";
export { parseServerMessage, type ServerSaid } from "./parse-server-message.ts";
export { noLongerAvailable, optionLines, promptContent, severalAdvice } from "./prompt.ts";
export { earlierThanNow, textOfParts } from "./read-parts.ts";
export {
  createResponseEvents,
  parseResponsesRequest,
  type ResponseHead,
  type ResponsesRequest,
  responseObject,
} from "./responses-http.ts";
export {
  type AuthResponseMessage,
  type ErrorCode,
  type ErrorContent,
  type ErrorMessage,
  type ObservabilityTraceMessage,
  type PromptContent,
  type PromptOption,
  ServerMessage,
  type Status,
  type SystemInteractionMessage,
  type SystemIntermediateMessage,
  type SystemResponseMessage,
} from "./server-message.ts";
export type { ServerPrompt } from "./server-prompt.ts";
export { type Step, stepsFeature, stepsFeatureName, stepsIn, stepsMimeType } from "./steps.ts";
