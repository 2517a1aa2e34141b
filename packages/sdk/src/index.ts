export type { DraftStep } from "@plenary/protocol";
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
} from "./agent/handlers.ts";
export type { InteractionReply, Option, Question } from "./agent/interaction.ts";
export { resolveText } from "./agent/linked-text.ts";
export { isPerson, listedName, originOf, type SpeakerKind, speakerKind } from "./agent/speakers.ts";
export { type Agent, createAgent } from "./agent.ts";
export type { Acquaintance, AgentHost, CatalogueStore, KeptManifest, Recall, Remembered } from "./agent-host.ts";
export { type AskingDialler, askAgent, type Reply } from "./ask-agent.ts";
export { type Connection, type ConnectOptions, connect } from "./connect.ts";
export type { Resolve } from "./dialler/checked-lookup.ts";
export {
  type DialLimits,
  type DialledSocket,
  type Dialler,
  type DialRequest,
  type DialResponse,
  dialLimits,
  type SocketRequest,
  type TextDialler,
} from "./dialler/dial.ts";
export { DialError, type DialErrorCode } from "./dialler/dial-error.ts";
export { createDialler, type DiallerOptions } from "./dialler.ts";
export type { Wanted } from "./discovery/ask-discovery-agent.ts";
export { type Asked, type Discovered, type DiscoverOptions, discover } from "./discovery/discover.ts";
export {
  type Found,
  type Reasons,
  reasonsFeature,
  type Search,
  searchFeature,
  type TellingReasons,
} from "./discovery/recommendation.ts";
export { type SignatureProblem, type SignedRequest, type Verification, verifySignature } from "./http/signature.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { type ChannelOptions, createChannel } from "./patterns/channel/channel.ts";
export type { Passing, Render } from "./patterns/channel/render.ts";
export { type FloorAccess, SubFloorError, type SubFloorErrorCode } from "./patterns/floor-client.ts";
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
