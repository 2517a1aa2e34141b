export { address, isOwnName, isPrivate, type Names } from "./address.ts";
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
} from "./build.ts";
export { canonicalAddress, foldUri, isSameAddress, isSameUri } from "./compare-uris.ts";
export { conversantOf, introduced } from "./conversant.ts";
export type { Carried, Encoded, Peers } from "./dialects/dialect.ts";
export { asksForProposals } from "./dialects/ovon-0.9/decode-events.ts";
export type { DialogEvent } from "./dialog-event.ts";
export { checkDocument, type DocumentKind, type DocumentReport } from "./document.ts";
export {
  type DraftStep,
  type DraftStepFault,
  draftStepLimits,
  readDraftStep,
  runningStep,
  withStep,
} from "./draft-step.ts";
export { encodeEnvelope } from "./encode.ts";
export type { Conversant, Conversation, Envelope, Sender } from "./envelope.ts";
export type { EventType, FloorEvent, To } from "./event.ts";
export type { Feature, Token } from "./feature.ts";
export { type InputType, interactionMimeType, type Option, readInteraction } from "./interaction.ts";
export { answerWords, lapseFeature, optionNamed, replyFeature, replyIn, timeLeft } from "./interaction-reply.ts";
export type { Issue, Loss } from "./issue.ts";
export { depthMax, readJson, valuesIn } from "./json.ts";
export { leadsSomewhere, linkMatchesMax, resolveLink } from "./link.ts";
export type { Capability, Identification, Manifest, ScoredManifest } from "./manifest.ts";
export { type ParsedEnvelope, type ParseOptions, parseEnvelope, readEnvelope } from "./parse.ts";
export { hasReason, type Reason, type ReasonToken, reasonTokens, reasonTokensOf } from "./reason.ts";
export { isRecord, recordOf } from "./record.ts";
export { type RuleId, rules, rulesBeyondSchema } from "./rules.ts";
export type { LeftOut, Mint } from "./shape.ts";
export { parseTagUri, type TagUri, tagUri } from "./tag-uri.ts";
export { needsFetching, textOf } from "./text.ts";
export { shownValue, wordsOfValue } from "./value-text.ts";
export { type Dialect, versionOf, versionsOf } from "./version.ts";
