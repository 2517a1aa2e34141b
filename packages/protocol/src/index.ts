export {
  acceptInvite,
  bye,
  declineInvite,
  type EnvelopeOptions,
  type EventOf,
  emptyReply,
  envelope,
  type GetManifestsOptions,
  getManifests,
  grantFloor,
  history,
  type InviteOptions,
  invite,
  type PublishManifestsOptions,
  publishManifests,
  replyTo,
  requestFloor,
  revokeFloor,
  type TextUtteranceOptions,
  textUtterance,
  uninvite,
  utterance,
  yieldFloor,
} from "./build/build.ts";
export { conversantOf, introduced } from "./build/conversant.ts";
export { hasReason, type Reason, type ReasonToken, reasonTokens, reasonTokensOf } from "./build/reason.ts";
export type { Carried, Encoded, Peers } from "./dialects/dialect.ts";
export { encodeEnvelope } from "./dialects/encode.ts";
export { asksForProposals } from "./dialects/ovon-0.9/decode-events.ts";
export {
  type DraftStep,
  type DraftStepFault,
  draftStepLimits,
  readDraftStep,
  runningStep,
  withStep,
} from "./extensions/draft-step.ts";
export {
  answerWords,
  type InputType,
  interactionMimeType,
  lapseFeature,
  type Option,
  optionNamed,
  readInteraction,
  replyFeature,
  replyIn,
  timeLeft,
} from "./extensions/interaction.ts";
export { isRecord, recordOf } from "./is-record.ts";
export type { DialogEvent } from "./model/dialog-event.ts";
export type { Conversant, Conversation, Envelope, Sender } from "./model/envelope.ts";
export { type EventType, eventTypes, type FloorEvent, type To } from "./model/event.ts";
export type { Feature, Token } from "./model/feature.ts";
export type { Capability, Identification, Manifest, ScoredManifest } from "./model/manifest.ts";
export { type Dialect, versionOf, versionsOf } from "./model/version.ts";
export { checkDocument, type DocumentKind, type DocumentReport } from "./parse/check-document.ts";
export { depthMax, readJson, valuesIn } from "./parse/json.ts";
export { parseEnvelope, readEnvelope } from "./parse/parse.ts";
export type { ParsedEnvelope, ParseOptions } from "./parse/walk-envelope.ts";
export { address, isOwnName, isPrivate, type Names } from "./read/addressee.ts";
export { EventTooLongError, readEventStream, type StreamedEvent } from "./read/event-stream.ts";
export { leadsSomewhere, linkMatchesMax, resolveLink } from "./read/link.ts";
export { essenceOf, type MediaKind, mediaKindOf } from "./read/media-type.ts";
export { needsFetching, shownValue, textOf, wordsOfValue } from "./read/text.ts";
export type { Issue, Loss } from "./repair/issue.ts";
export type { LeftOut, ParseDefaults } from "./repair/shape.ts";
export { type RuleId, rules, rulesBeyondSchema } from "./rules/rules.ts";
export { canonicalAddress, foldUri, isSameAddress, isSameUri } from "./uri/compare-uris.ts";
export { parseTagUri, type TagUri, tagUri } from "./uri/tag-uri.ts";
