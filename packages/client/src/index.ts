export {
  type ConnectOptions,
  connect,
  type Floor,
  type Me,
  type OpenOptions,
  type ResumeOptions,
  resume,
} from "./connect.ts";
export type {
  AddressChange,
  Commands,
  ConversantView,
  ConversationSummary,
  ConversationView,
  Discovery,
  DraftFrame,
  Entry,
  FoundAgent,
  GuestLink,
  KnownAgent,
  KnownAgents,
  Need,
  Operation,
  OperationAnswer,
  StreamFrame,
} from "./contract.ts";
export type { Conversation } from "./conversation.ts";
export type { LiveDraft } from "./drafts.ts";
export { createHostClient, type HostClient } from "./host-client.ts";
export type { SpokenLine } from "./lines.ts";
export type { LiveConversation } from "./live.ts";
export type { LiveSnapshot } from "./live-snapshot.ts";
export type { ClientStorage, Outbox, Said, Unsent, Words } from "./outbox.ts";
export { FloorProblem, NoReply, Unreachable } from "./problem.ts";
export type { Limits } from "./retry.ts";
export type { FloorSocket, FloorSocketConstructor } from "./stream.ts";
