export { type Agent, createAgent } from "./agent.ts";
export { type Connection, type ConnectOptions, connect } from "./connect.ts";
export {
  type DialLimits,
  type DialledSocket,
  type Dialler,
  type DialRequest,
  type DialResponse,
  dialLimits,
  type SocketRequest,
} from "./dial.ts";
export { DialError, type DialErrorCode } from "./dial-error.ts";
export { createDialler, type DiallerOptions } from "./dialler.ts";
export type {
  AgentManifest,
  AgentOptions,
  Answer,
  Handler,
  Heard,
  HeardManifestsQuestion,
  HeardUtterance,
  Recommendation,
} from "./handler.ts";
export type { InteractionReply, Option, Question } from "./interaction.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { resolveText } from "./resolve-text.ts";
export type { Resolve } from "./route.ts";
export { type SignatureProblem, type SignedRequest, type Verification, verifySignature } from "./signature.ts";
