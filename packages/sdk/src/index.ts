export type { DraftStep } from "@plenary/protocol";
export type {
  AgentManifest,
  AgentOptions,
  Answer,
  Delegation,
  GetManifestsInput,
  Handler,
  HandlerInput,
  InviteInput,
  Recommendation,
  StreamPart,
  UtteranceInput,
} from "./agent/handlers.ts";
export type { InteractionReply, Option, Question } from "./agent/interaction.ts";
export { resolveText } from "./agent/linked-text.ts";
export { isPerson, listedName, originOf, type SpeakerKind, speakerKind } from "./agent/speakers.ts";
export { type Agent, createAgent } from "./agent.ts";
export type {
  AgentHost,
  AgentSummary,
  CatalogueStore,
  HistoryEntry,
  ReadHistory,
  StoredManifest,
} from "./agent-host.ts";
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
export type { DiscoveryQuery } from "./discovery/ask-discovery-agent.ts";
export { type AskedAgent, type DiscoverOptions, type DiscoveryResult, discover } from "./discovery/discover.ts";
export {
  type FoundAgent,
  type Reasons,
  type ReasonsPayload,
  reasonsFeature,
  type SearchParameters,
  searchFeature,
} from "./discovery/recommendation.ts";
export { type SignatureProblem, type SignedRequest, type Verification, verifySignature } from "./http/signature.ts";
export { type ListeningAgent, type ListenOptions, listen } from "./listen.ts";
export { type ChannelOptions, createChannel } from "./patterns/channel/channel.ts";
export type { Render, RenderInput } from "./patterns/channel/render.ts";
export { type FloorAccess, SubFloorError, type SubFloorErrorCode } from "./patterns/floor-client.ts";
export { createMediator, type MediatorInput, type MediatorOptions, type SubFloorRequest } from "./patterns/mediator.ts";
export {
  type FoundSubFloor,
  findSubFloors,
  type Invitee,
  type InviteResult,
  type OpenSubFloor,
  openSubFloor,
  resumeSubFloor,
  type SubFloor,
  type SubFloorEvent,
  type SubFloorUtterance,
} from "./patterns/sub-floor.ts";
export { redact } from "./redact.ts";
export { createWriteBehind } from "./write-behind.ts";
