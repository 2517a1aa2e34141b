// Neutral -> events of 0.9. A private utterance is a whisper; an invite repeats the end of its history in a whisper (0.9.3,
// figure 13); declineInvite becomes bye, and grantFloor with a whisper to the same agent an invite.
// Lost going down: acceptInvite, uninvite, requestFloor, revokeFloor, yieldFloor and any other grantFloor; every reason;
// the rest of a history; expectedFloorRoles; recommendScope unless it is internal or all; in `to` what to.ts says.

import { reasonTokens } from "../../build/reason.ts";
import type { Envelope } from "../../model/envelope.ts";
import type { FloorEvent } from "../../model/event.ts";
import type { ScoredManifest } from "../../model/manifest.ts";
import type { Loss } from "../../repair/issue.ts";
import { type Place, pointer } from "../../repair/json-path.ts";
import type { Peers } from "../dialect.ts";
import { withoutTaken } from "../losses.ts";
import { toOvonDialogEvent } from "./dialog-event.ts";
import { toHistory } from "./history.ts";
import { fromOvonManifest, toOvonManifest } from "./manifest.ts";
import { withMark } from "./marks.ts";
import { toSpeakerId } from "./speaker-id.ts";
import { addressBookOf, toLosses, toOvonTo } from "./to.ts";

type Writing = { peers: Peers; losses: Loss[]; senderReadAs: string; isProposal: boolean };

/** What an event needs to know of the envelope it is in. */
type Scene = Writing & {
  envelope: Envelope;
  addressOf: (event: FloorEvent) => string | undefined;
  /** Where whispers and invites of this envelope go. */
  whisperedTo: ReadonlySet<string>;
  invited: ReadonlySet<string>;
};

type Of<Name extends FloorEvent["eventType"]> = FloorEvent & { eventType: Name };
type Written = Record<string, unknown>;

export function toOvonEvents(envelope: Envelope, writing: Writing): Written[] {
  const book = addressBookOf(envelope, writing.peers);
  const addressOf = ({ to }: FloorEvent) => (to === undefined ? undefined : toOvonTo(to, book));
  const addresses = (isMeant: (event: FloorEvent) => boolean) =>
    new Set(envelope.events.filter(isMeant).flatMap((event) => addressOf(event) ?? []));
  const scene: Scene = {
    ...writing,
    envelope,
    addressOf,
    whisperedTo: addresses((event) => event.eventType === "utterance" && event.to?.private === true),
    invited: addresses((event) => event.eventType === "invite"),
  };
  const at: Place = { up: { up: undefined, key: "openFloor" }, key: "events" };
  return envelope.events.flatMap((event, index) => toOvonEvent(event, { up: at, key: index }, scene));
}

function toOvonEvent(event: FloorEvent, at: Place, scene: Scene): Written[] {
  switch (event.eventType) {
    case "utterance":
      return [toSaid(event, at, scene)];
    case "invite":
      return toInvite(event, at, scene);
    case "bye":
      return [toCommon(event, "bye", at, scene)];
    case "getManifests":
      return [toQuestion(event, at, scene)];
    case "publishManifests":
      return [toManifests(event, at, scene)];
    case "declineInvite":
      return toBye(event, at, scene);
    case "grantFloor":
      return toGrant(event, at, scene);
    case "acceptInvite":
    case "uninvite":
    case "requestFloor":
    case "revokeFloor":
    case "yieldFloor":
      scene.losses.push({ path: pointer(at), why: `0.9 has no ${event.eventType}` });
      return [];
  }
}

/** What every event has: its type, its addressee and the keys nobody specified. */
function toCommon(event: FloorEvent, eventType: string, at: Place, scene: Scene): Written {
  const { eventType: _, to, reason, parameters: __, ...others } = event;
  if (reason !== undefined) scene.losses.push({ path: pointer({ up: at, key: "reason" }), why: "0.9 has no reasons" });
  const taken = event.eventType === "utterance" ? ["private", "context"] : ["private"];
  const kept = withoutTaken(others, taken, at, scene.losses);
  const address = scene.addressOf(event);
  if (to === undefined || address === undefined) return { ...kept, eventType };
  scene.losses.push(...toLosses(to, address, scene.peers, { up: at, key: "to" }));
  return { ...kept, eventType, to: address, ...(to.private === true && { private: true }) };
}

function toSaid(event: Of<"utterance">, at: Place, scene: Scene): Written {
  const eventType = event.to?.private === true ? "whisper" : "utterance";
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const dialogEvent = toOvonDialogEvent(event.parameters.dialogEvent, eventType, place, scene);
  return { ...toCommon(event, eventType, at, scene), parameters: { dialogEvent } };
}

function toInvite(event: Of<"invite">, at: Place, scene: Scene): Written[] {
  const { dialogHistory, expectedFloorRoles } = event.parameters ?? {};
  const place = { up: at, key: "parameters" };
  if (expectedFloorRoles !== undefined) {
    const path = pointer({ up: place, key: "expectedFloorRoles" });
    scene.losses.push({ path, why: "0.9 has no roles" });
  }
  const invite = toCommon(event, "invite", at, scene);
  const address = scene.addressOf(event);
  if (dialogHistory === undefined) return [invite];
  const hasWhisper = address !== undefined && scene.whisperedTo.has(address);
  const speakerUri = scene.envelope.sender.speakerUri;
  const history = { up: place, key: "dialogHistory" };
  const dialogEvent = toHistory(hasWhisper ? [] : dialogHistory, speakerUri, history, scene);
  if (dialogEvent === undefined) return [invite];
  const to = address === undefined ? {} : { to: address };
  return [invite, { eventType: "whisper", ...to, private: true, parameters: { dialogEvent } }];
}

function toQuestion(event: Of<"getManifests">, at: Place, scene: Scene): Written {
  const scope = event.parameters?.recommendScope ?? "internal";
  const address = scene.addressOf(event);
  // Spec 1.17: a question that comes with a whisper is about the task told there.
  const isAboutTask = address !== undefined && scene.whisperedTo.has(address);
  if (scope === "internal" && !isAboutTask) return toCommon(event, "requestManifest", at, scene);
  if (scope !== "all") {
    const path = pointer({ up: { up: at, key: "parameters" }, key: "recommendScope" });
    scene.losses.push({ path, why: "findAssistant asks for every recommendation, whatever its scope" });
  }
  return toCommon(event, "findAssistant", at, scene);
}

/** The manifest that goes alone, as an agent's answer about itself. */
export function publishedManifest(event: FloorEvent): ScoredManifest[] {
  if (event.eventType !== "publishManifests") return [];
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const [manifest, ...more] = servicingManifests;
  if (manifest === undefined || more.length > 0 || discoveryManifests.length > 0) return [];
  return manifest.score === undefined ? [manifest] : [];
}

function toManifests(event: Of<"publishManifests">, at: Place, scene: Scene): Written {
  const place = { up: at, key: "parameters" };
  const [alone] = scene.isProposal ? [] : publishedManifest(event);
  if (alone !== undefined) {
    const first = { up: { up: place, key: "servicingManifests" }, key: 0 };
    const manifest = toOvonManifest(alone, first, scene);
    return { ...toCommon(event, "publishManifest", at, scene), parameters: { manifest } };
  }
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const list = (key: string, manifests: readonly ScoredManifest[]) =>
    manifests.map((manifest, index) => toOvonManifest(manifest, { up: { up: place, key }, key: index }, scene));
  const parameters = {
    servicingManifests: list("servicingManifests", servicingManifests),
    discoveryManifests: toDiscovery(discoveryManifests, list, place, scene),
  };
  return { ...toCommon(event, "proposeAssistant", at, scene), parameters };
}

// Spec 1.18: nobody recommends itself for discovery. An agent that 0.9 cannot tell from the sender is left out.
function toDiscovery(
  manifests: readonly ScoredManifest[],
  list: (key: string, manifests: readonly ScoredManifest[]) => ReturnType<typeof toOvonManifest>[],
  at: Place,
  scene: Scene,
) {
  const quiet = { peers: scene.peers, losses: [] };
  const others = manifests.filter((manifest) => {
    const back = fromOvonManifest(toOvonManifest(manifest, at, quiet), at, quiet);
    return back.identification.speakerUri !== scene.senderReadAs;
  });
  if (others.length === manifests.length) return list("discoveryManifests", manifests);
  const path = pointer({ up: at, key: "discoveryManifests" });
  scene.losses.push({ path, why: "0.9 cannot tell one of these agents from the sender" });
  return others.map((manifest) => toOvonManifest(manifest, at, quiet));
}

function toBye(event: Of<"declineInvite">, at: Place, scene: Scene): Written[] {
  scene.losses.push({
    path: pointer(at),
    why: "0.9 has no declineInvite: who does not want to stay leaves",
    becomes: "bye",
  });
  const address = scene.addressOf(event);
  const bye = { eventType: "bye", ...(address !== undefined && { to: address }) };
  const { events, sender, conversation } = scene.envelope;
  const isFirst = events.findIndex(({ eventType, reason }) => eventType === "declineInvite" && reason) === at.key;
  const hasUtterance = events.some(({ eventType }) => eventType === "utterance");
  if (!isFirst || hasUtterance || event.reason === undefined || event.reason.trim() === "") return [bye];
  const dialogEvent = {
    id: withMark(conversation.id, ":plenary:reason"),
    speakerId: toSpeakerId(sender.speakerUri),
    // The core has no clock, and a span may begin at an offset.
    span: { startOffset: "PT0S" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: inWords(event.reason) }] } },
  };
  return [{ eventType: "utterance", parameters: { dialogEvent } }, bye];
}

/** A reason without its tokens, which are not for the ear; unless there is nothing else. */
function inWords(reason: string): string {
  const words = reasonTokens(reason).reduce((text, token) => text.replace(token, ""), reason);
  return words.replace(/\s+/gu, " ").trim() || reason;
}

function toGrant(event: Of<"grantFloor">, at: Place, scene: Scene): Written[] {
  const address = scene.addressOf(event);
  const isAsked = address !== undefined && scene.whisperedTo.has(address) && !scene.invited.has(address);
  if (!isAsked) {
    scene.losses.push({ path: pointer(at), why: "0.9 has no grantFloor" });
    return [];
  }
  scene.losses.push({ path: pointer(at), why: "0.9 has no grantFloor: an invite gives the floor", becomes: "invite" });
  return [{ eventType: "invite", to: address }];
}
