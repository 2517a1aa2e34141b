// Neutral -> events of 0.9. A private utterance is a whisper; an invite repeats the end of its history in a whisper (0.9.3,
// figure 13); declineInvite becomes bye, and grantFloor with a whisper to the same agent an invite.
// Lost going down: acceptInvite, uninvite, requestFloor, revokeFloor, yieldFloor and any other grantFloor; every reason;
// the rest of a history; expectedFloorRoles; recommendScope unless it is internal or all; in `to` what to.ts says.

import { reasonTokens } from "../../build/reason.ts";
import type { Envelope } from "../../model/envelope.ts";
import type { FloorEvent } from "../../model/event.ts";
import type { ScoredManifest } from "../../model/manifest.ts";
import type { Loss } from "../../repair/issue.ts";
import { type JsonPath, pointer } from "../../repair/json-path.ts";
import type { Peers } from "../dialect.ts";
import { lose, withoutTaken } from "../losses.ts";
import { toOvonDialogEvent } from "./dialog-event.ts";
import { toHistory } from "./history.ts";
import { fromOvonManifest, toOvonManifest } from "./manifest.ts";
import { withMark } from "./marks.ts";
import { toSpeakerId } from "./speaker-id.ts";
import { addressBookOf, noteToLosses, toOvonTo } from "./to.ts";

type EncodeEventsOptions = { peers: Peers; losses: Loss[]; senderReadAs: string; isProposal: boolean };

/** What an event needs from its envelope. */
type EncodeContext = EncodeEventsOptions & {
  envelope: Envelope;
  addressOf: (event: FloorEvent) => string | undefined;
  /** The addresses of whispers and invites in this envelope. */
  whisperedTo: ReadonlySet<string>;
  invited: ReadonlySet<string>;
};

type Of<Name extends FloorEvent["eventType"]> = FloorEvent & { eventType: Name };
type OvonEventDocument = Record<string, unknown>;

export function toOvonEvents(envelope: Envelope, options: EncodeEventsOptions): OvonEventDocument[] {
  const book = addressBookOf(envelope, options.peers);
  const addressOf = ({ to }: FloorEvent) => (to === undefined ? undefined : toOvonTo(to, book));
  const addresses = (isMeant: (event: FloorEvent) => boolean) =>
    new Set(envelope.events.filter(isMeant).flatMap((event) => addressOf(event) ?? []));
  const context: EncodeContext = {
    ...options,
    envelope,
    addressOf,
    whisperedTo: addresses((event) => event.eventType === "utterance" && event.to?.private === true),
    invited: addresses((event) => event.eventType === "invite"),
  };
  const at: JsonPath = { up: { up: undefined, key: "openFloor" }, key: "events" };
  return envelope.events.flatMap((event, index) => toOvonEvent(event, { up: at, key: index }, context));
}

function toOvonEvent(event: FloorEvent, at: JsonPath, context: EncodeContext): OvonEventDocument[] {
  switch (event.eventType) {
    case "utterance":
      return [toUtterance(event, at, context)];
    case "invite":
      return toInvite(event, at, context);
    case "bye":
      return [toCommon(event, "bye", at, context)];
    case "getManifests":
      return [toQuestion(event, at, context)];
    case "publishManifests":
      return [toManifests(event, at, context)];
    case "declineInvite":
      return toBye(event, at, context);
    case "grantFloor":
      return toGrant(event, at, context);
    case "acceptInvite":
    case "uninvite":
    case "requestFloor":
    case "revokeFloor":
    case "yieldFloor":
      lose(context.losses, at, [], `0.9 has no ${event.eventType}`);
      return [];
  }
}

/** The common part of an event: its type, its addressee and unspecified keys. */
function toCommon(event: FloorEvent, eventType: string, at: JsonPath, context: EncodeContext): OvonEventDocument {
  const { eventType: _, to, reason, parameters: __, ...others } = event;
  if (reason !== undefined) lose(context.losses, at, ["reason"], "0.9 has no reasons");
  const taken = event.eventType === "utterance" ? ["private", "context"] : ["private"];
  const kept = withoutTaken(others, taken, at, context.losses);
  const address = context.addressOf(event);
  if (to === undefined || address === undefined) return { ...kept, eventType };
  noteToLosses(to, address, { up: at, key: "to" }, context);
  return { ...kept, eventType, to: address, ...(to.private === true && { private: true }) };
}

function toUtterance(event: Of<"utterance">, at: JsonPath, context: EncodeContext): OvonEventDocument {
  const eventType = event.to?.private === true ? "whisper" : "utterance";
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const dialogEvent = toOvonDialogEvent(event.parameters.dialogEvent, eventType, place, context);
  return { ...toCommon(event, eventType, at, context), parameters: { dialogEvent } };
}

function toInvite(event: Of<"invite">, at: JsonPath, context: EncodeContext): OvonEventDocument[] {
  const { dialogHistory, expectedFloorRoles } = event.parameters ?? {};
  if (expectedFloorRoles !== undefined) {
    lose(context.losses, at, ["parameters", "expectedFloorRoles"], "0.9 has no roles");
  }
  const invite = toCommon(event, "invite", at, context);
  const address = context.addressOf(event);
  if (dialogHistory === undefined) return [invite];
  const hasWhisper = address !== undefined && context.whisperedTo.has(address);
  const speakerUri = context.envelope.sender.speakerUri;
  const history = { up: { up: at, key: "parameters" }, key: "dialogHistory" };
  const dialogEvent = toHistory(hasWhisper ? [] : dialogHistory, speakerUri, history, context);
  if (dialogEvent === undefined) return [invite];
  const to = address === undefined ? {} : { to: address };
  return [invite, { eventType: "whisper", ...to, private: true, parameters: { dialogEvent } }];
}

function toQuestion(event: Of<"getManifests">, at: JsonPath, context: EncodeContext): OvonEventDocument {
  const scope = event.parameters?.recommendScope ?? "internal";
  const address = context.addressOf(event);
  // Spec 1.17: a question with a whisper is about the task in that whisper.
  const isAboutTask = address !== undefined && context.whisperedTo.has(address);
  if (scope === "internal" && !isAboutTask) return toCommon(event, "requestManifest", at, context);
  if (scope !== "all") {
    const why = "findAssistant asks for every recommendation, whatever its scope";
    lose(context.losses, at, ["parameters", "recommendScope"], why);
  }
  return toCommon(event, "findAssistant", at, context);
}

/** The only manifest of an event, as an agent's answer about itself. */
export function publishedManifest(event: FloorEvent): ScoredManifest[] {
  if (event.eventType !== "publishManifests") return [];
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const [manifest, ...more] = servicingManifests;
  if (manifest === undefined || more.length > 0 || discoveryManifests.length > 0) return [];
  return manifest.score === undefined ? [manifest] : [];
}

function toManifests(event: Of<"publishManifests">, at: JsonPath, context: EncodeContext): OvonEventDocument {
  const place = { up: at, key: "parameters" };
  const [alone] = context.isProposal ? [] : publishedManifest(event);
  if (alone !== undefined) {
    const first = { up: { up: place, key: "servicingManifests" }, key: 0 };
    const manifest = toOvonManifest(alone, first, context);
    return { ...toCommon(event, "publishManifest", at, context), parameters: { manifest } };
  }
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const list = (key: string, manifests: readonly ScoredManifest[]) =>
    manifests.map((manifest, index) => toOvonManifest(manifest, { up: { up: place, key }, key: index }, context));
  const parameters = {
    servicingManifests: list("servicingManifests", servicingManifests),
    discoveryManifests: toDiscovery(discoveryManifests, list, place, context),
  };
  return { ...toCommon(event, "proposeAssistant", at, context), parameters };
}

// Spec 1.18: no self-recommendation for discovery. An agent that 0.9 cannot distinguish from the sender is left out.
function toDiscovery(
  manifests: readonly ScoredManifest[],
  list: (key: string, manifests: readonly ScoredManifest[]) => ReturnType<typeof toOvonManifest>[],
  at: JsonPath,
  context: EncodeContext,
) {
  const quiet = { peers: context.peers, losses: [] };
  const others = manifests.filter((manifest) => {
    const back = fromOvonManifest(toOvonManifest(manifest, at, quiet), at, quiet);
    return back.identification.speakerUri !== context.senderReadAs;
  });
  if (others.length === manifests.length) return list("discoveryManifests", manifests);
  lose(context.losses, at, ["discoveryManifests"], "0.9 cannot tell one of these agents from the sender");
  return others.map((manifest) => toOvonManifest(manifest, at, quiet));
}

function toBye(event: Of<"declineInvite">, at: JsonPath, context: EncodeContext): OvonEventDocument[] {
  context.losses.push({
    path: pointer(at),
    why: "0.9 has no declineInvite: the agent leaves instead",
    becomes: "bye",
  });
  const address = context.addressOf(event);
  const bye = { eventType: "bye", ...(address !== undefined && { to: address }) };
  const { events, sender, conversation } = context.envelope;
  const isFirst = events.findIndex(({ eventType, reason }) => eventType === "declineInvite" && reason) === at.key;
  const hasUtterance = events.some(({ eventType }) => eventType === "utterance");
  if (!isFirst || hasUtterance || event.reason === undefined || event.reason.trim() === "") return [bye];
  const dialogEvent = {
    id: withMark(conversation.id, ":plenary:reason"),
    speakerId: toSpeakerId(sender.speakerUri),
    // There is no clock here, and a span may begin at an offset.
    span: { startOffset: "PT0S" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: inWords(event.reason) }] } },
  };
  return [{ eventType: "utterance", parameters: { dialogEvent } }, bye];
}

/** A reason without its tokens, unless there is nothing else. */
function inWords(reason: string): string {
  const words = reasonTokens(reason).reduce((text, token) => text.replace(token, ""), reason);
  return words.replace(/\s+/gu, " ").trim() || reason;
}

function toGrant(event: Of<"grantFloor">, at: JsonPath, context: EncodeContext): OvonEventDocument[] {
  const address = context.addressOf(event);
  const isAsked = address !== undefined && context.whisperedTo.has(address) && !context.invited.has(address);
  if (!isAsked) {
    lose(context.losses, at, [], "0.9 has no grantFloor");
    return [];
  }
  context.losses.push({
    path: pointer(at),
    why: "0.9 has no grantFloor: an invite gives the floor",
    becomes: "invite",
  });
  return [{ eventType: "invite", to: address }];
}
