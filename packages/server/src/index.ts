export { relayUrlOf } from "@plenary/floor";
export type { HostedAgents, HostedCaller, SharedHostApi } from "./agents/hosted.ts";
export { createLocalDialler, type LocalAgent } from "./agents/hosted.ts";
export type { KnownAgent, KnownQuirk } from "./agents/record.ts";
export { exportComplete, exportConversation } from "./archive/export.ts";
export { ImportError, type ImportResult, importedChanges, readImportHeader } from "./archive/import.ts";
export { type ConvenerOverHttp, createConvenerOverHttp } from "./archive/replay.ts";
export type { TokenVerifier } from "./auth/authenticate.ts";
export { isLoopback, isLoopbackUrl } from "./auth/client-address.ts";
export type { IssuerDial } from "./auth/issuer-dialler.ts";
export { createJwtVerifier, type JwtVerifierOptions, type TokenType, tokenTypes } from "./auth/jwt.ts";
export { createMemoryCredentials } from "./auth/memory-credentials.ts";
export type { Draft, DraftListener } from "./delivery/drafts.ts";
export { StoreError } from "./errors.ts";
export {
  type DeliveryLimits,
  defaultDeliveryLimits,
  defaultLoadLimits,
  defaultStreamLimits,
  type LoadLimits,
  type StreamLimits,
} from "./limits.ts";
export { createLogger, type LoggerOptions } from "./observability/logger.ts";
export type { FloorServerOptions, FloorServerPorts } from "./options.ts";
export type { AgentStore, StoredAgent } from "./ports/agent-store.ts";
export type { Clock, Ids } from "./ports/clock.ts";
export { newToken, systemClock, systemIds } from "./ports/clock.ts";
export type {
  Change,
  ConversationLog,
  ConversationSummary,
  DedupeKey,
  RequestKey,
  Timer,
} from "./ports/conversation-log.ts";
export {
  type Credential,
  type CredentialQuery,
  type CredentialStore,
  hasEnded,
  newCredentialId,
  newCredentialToken,
  partsOf,
  type SigningSecret,
} from "./ports/credentials.ts";
export type { DialFailure, Dialler, DialRequest, DialResponse } from "./ports/dialler.ts";
export type { Discovery, DiscoveryAnswer } from "./ports/discovery.ts";
export { type LogFields, type Logger, type LogLevel, silentLogger } from "./ports/logger.ts";
export type { Lookups, RequestRecord } from "./ports/lookups.ts";
export type { MaybePromise } from "./ports/maybe-promise.ts";
export type { FloorIdentity, Outbound, OutboundMessage, Outcome } from "./ports/outbound.ts";
export type { DeadLetter, DeadLetterKey, Outbox, PendingDelivery, PendingWork } from "./ports/outbox.ts";
export type { PageFile, PageFiles } from "./ports/page-files.ts";
export type { Principal, Scope } from "./ports/principal.ts";
export type { Settings } from "./ports/settings.ts";
export type { FloorStore } from "./ports/store.ts";
export { createFloorServer, type FloorServer } from "./server.ts";
export type { StopSignal } from "./stop-signal.ts";
export { createMemoryStore } from "./store/memory.ts";
export { createSqliteCredentials } from "./store/sqlite/credentials.ts";
export { isInUse as isStoreInUse } from "./store/sqlite/database.ts";
export { type InspectedKey, inspectSqlite, type SqliteInspection } from "./store/sqlite/inspect.ts";
export { type LogFile, openLogFile } from "./store/sqlite/reader.ts";
export { createSqliteStore, type SqliteStoreOptions } from "./store/sqlite/store.ts";
export { type VerifyResult, verifySqlite } from "./store/sqlite/verify.ts";
export { type Importer, openImporter } from "./store/sqlite/writer.ts";
export type { PresenceListener } from "./streams/presence.ts";
export type { StreamOptions } from "./streams/streams.ts";
