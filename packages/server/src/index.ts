export { relayUrlOf } from "@plenary/floor";
export { isLoopback, isLoopbackUrl } from "./admit.ts";
export type { KnownAgent, KnownQuirk } from "./agent-view.ts";
export type { FloorServerOptions, FloorServerPorts } from "./assemble.ts";
export type { Discovered, Discovery } from "./discovery-port.ts";
export type { Draft, DraftListener } from "./drafts.ts";
export { StoreError } from "./errors.ts";
export { exportComplete, exportConversation } from "./export.ts";
export type { HostedAgents, HostedCaller, LentToAll } from "./hosted.ts";
export {
  type Credential,
  type CredentialQuery,
  type CredentialStore,
  hasEnded,
  newCredentialId,
  newCredentialToken,
  partsOf,
  type SigningSecret,
} from "./identity/credential.ts";
export type { IdentityDial } from "./identity/dial.ts";
export type { TokenVerifier } from "./identity/identify.ts";
export { createJwtVerifier, type JwtVerifierOptions, type TokenType, tokenTypes } from "./identity/jwt.ts";
export { createMemoryCredentials } from "./identity/memory-credentials.ts";
export type { Principal, Scope } from "./identity/principal.ts";
export { isUri } from "./identity/speaker-uri.ts";
export { type Imported, ImportFault, importedChanges, readImportHeader } from "./import.ts";
export { type AdmissionLimits, defaultAdmissionLimits } from "./inbound/admission.ts";
export { type Access, type Route, routes } from "./inbound/routes.ts";
export { defaultStreamLimits, type StreamLimits } from "./inbound/stream-limits.ts";
export type { PresenceListener } from "./inbound/stream-presence.ts";
export type { StreamOptions } from "./inbound/streams.ts";
export { type DeliveryLimits, defaultDeliveryLimits } from "./outbound/limits.ts";
export { createLocalDialler, type LocalAgent } from "./outbound/local.ts";
export type {
  AgentStore,
  Change,
  Clock,
  DeadLetter,
  DeadLetterKey,
  DedupeKey,
  DialFailure,
  Dialler,
  DialRequest,
  DialResponse,
  FloorStore,
  Ids,
  KeptAgent,
  Letter,
  Outbound,
  Outcome,
  PageFile,
  PageFiles,
  Pending,
  PendingDelivery,
  RequestKey,
  RequestRecord,
  Self,
  Summary,
  Timer,
} from "./ports.ts";
export { type ConvenerOverHttp, createConvenerOverHttp } from "./replay.ts";
export { createFloorServer, type FloorServer } from "./server.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { createSqliteCredentials } from "./stores/sqlite/credentials.ts";
export { isInUse as isStoreInUse } from "./stores/sqlite/database.ts";
export { type Importer, openImporter } from "./stores/sqlite/importer.ts";
export { type LogFile, openLogFile } from "./stores/sqlite/log-file.ts";
export { type Survey, type SurveyedKey, surveySqlite } from "./stores/sqlite/survey.ts";
export { type Verdict, verifySqlite } from "./stores/sqlite/verify.ts";
export { createSqliteStore, type SqliteStoreOptions } from "./stores/sqlite.ts";
export { newToken, systemClock, systemIds } from "./system.ts";
