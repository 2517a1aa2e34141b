export type { DraftStep } from "@plenary/protocol";
export { type Agent, createAgent } from "./agent.ts";
export type { Acquaintance, AgentHost, CatalogueStore, KeptManifest } from "./agent-host.ts";
export { type AskingDialler, askAgent, type Reply } from "./ask-agent.ts";
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
export { type Asked, type Discovered, type DiscoverOptions, discover } from "./discover.ts";
export type { Wanted } from "./discover-ask.ts";
export type {
  AgentManifest,
  AgentOptions,
  Answer,
  Delegation,
  Handler,
  Heard,
  HeardInvite,
  HeardManifestsQuestion,
  HeardUtterance,
  Recommendation,
  Streamed,
} from "./handler.ts";
export type { InteractionReply, Option, Question } from "./interaction.ts";
export { listedName, originOf } from "./listed-name.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { type ChannelOptions, createChannel } from "./patterns/channel.ts";
export type { Passing, Render } from "./patterns/channel-answer.ts";
export { type FloorAccess, SubFloorError, type SubFloorErrorCode } from "./patterns/floor-call.ts";
export { createMediator, type HeardByMediator, type MediatorOptions, type SubFloorWish } from "./patterns/mediator.ts";
export {
  type FoundSubFloor,
  findSubFloors,
  type Invited,
  type Invitee,
  type Logged,
  type OpenSubFloor,
  openSubFloor,
  resumeSubFloor,
  type Said,
  type SubFloor,
} from "./patterns/sub-floor.ts";
export { isPerson, type SpeakerKind, speakerKind } from "./people.ts";
export type { Recall, Remembered } from "./recall.ts";
export {
  type Found,
  type Reasons,
  reasonsFeature,
  type Search,
  searchFeature,
  type TellingReasons,
} from "./recommendation.ts";
export { resolveText, type TextDialler } from "./resolve-text.ts";
export type { Resolve } from "./route.ts";
export { type SignatureProblem, type SignedRequest, type Verification, verifySignature } from "./signature.ts";
