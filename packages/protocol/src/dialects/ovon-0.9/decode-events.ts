// Events of 0.9 -> neutral. A whisper is a private utterance, requestManifest and findAssistant are getManifests,
// publishManifest and proposeAssistant are publishManifests, acknowledge is nothing. 0.9.4 and later have the rest.
// Lost going up: whispers that do not say for whom they are, and `private` beside no addressee.
import type { Sender } from "../../model/envelope.ts";
import type { FloorEvent, To } from "../../model/event.ts";
import type { ScoredManifest } from "../../model/manifest.ts";
import type { Loss } from "../../repair/issue.ts";
import { type Place, pointer } from "../../repair/json-path.ts";
import { report } from "../../repair/repair.ts";
import type { Reader } from "../../repair/shape.ts";
import type { DecodeOptions } from "../dialect.ts";
import { fromOvonDialogEvent } from "./dialog-event.ts";
import type { OvonEvent } from "./event.ts";
import { fromOvonManifest, type OvonManifest } from "./manifest.ts";
import { unmarked } from "./marks.ts";
import { fromOvonTo } from "./to.ts";

/** Asked of an agent of 0.9, this is a findAssistant, which proposeAssistant answers. */
export function asksForProposals(event: FloorEvent): boolean {
  return event.eventType === "getManifests" && (event.parameters?.recommendScope ?? "internal") !== "internal";
}

/** What an event needs to know of the envelope it is in. */
type Scene = DecodeOptions & {
  sender: Sender;
  senderTo: string | undefined;
  at: Place;
  losses: Loss[];
  reader: Reader;
  /** Of the dialog events read so far. */
  ids: Set<string>;
};

type Said = OvonEvent & { eventType: "utterance" | "whisper" };

export function fromOvonEvents(ovonEvents: readonly OvonEvent[], around: Omit<Scene, "ids">) {
  const scene: Scene = { ...around, ids: new Set() };
  const events: FloorEvent[] = [];
  let senderToUsed = false;
  for (const [index, event] of ovonEvents.entries()) {
    const at = { up: scene.at, key: index };
    if (isReasonSaid(event, ovonEvents[index + 1])) continue;
    const invite = events.at(-1);
    if (isHistoryOf(event, ovonEvents[index - 1]) && invite?.eventType === "invite") {
      events[events.length - 1] = withHistory(invite, event, at, scene);
      continue;
    }
    const addressee = addresseeOf(event, index, ovonEvents, scene);
    senderToUsed ||= addressee.isSenderTo;
    events.push(...fromOvonEvent(event, addressee.to, at, scene));
  }
  return { events, senderToUsed };
}

/** Said for those who know no declineInvite; the bye behind it stands for both. */
function isReasonSaid(event: OvonEvent, next: OvonEvent | undefined): boolean {
  if (event.eventType !== "utterance" || next?.eventType !== "bye") return false;
  return unmarked(event.parameters.dialogEvent.id, ":plenary:reason") !== undefined;
}

function isHistoryOf(event: OvonEvent, previous: OvonEvent | undefined): event is Said {
  if (event.eventType !== "whisper" || previous?.eventType !== "invite" || event.to !== previous.to) return false;
  return unmarked(event.parameters.dialogEvent.id, ":plenary:history") !== undefined;
}

function withHistory(invite: FloorEvent & { eventType: "invite" }, whisper: Said, at: Place, scene: Scene): FloorEvent {
  const { dialogEvent } = whisper.parameters;
  const id = unmarked(dialogEvent.id, ":plenary:history") ?? dialogEvent.id;
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const past = { ...fromOvonDialogEvent(dialogEvent, scene.sender.speakerUri, place, scene), id };
  return { ...invite, parameters: { ...invite.parameters, dialogHistory: [past] } };
}

type Addressee = { to: To | undefined; isSenderTo: boolean };

function addresseeOf(event: OvonEvent, index: number, events: readonly OvonEvent[], scene: Scene): Addressee {
  const isWhisper = event.eventType === "whisper";
  const isPrivate = isWhisper || event.private === true;
  const flag = isWhisper ? { private: true } : event.private === undefined ? {} : { private: event.private };
  if (event.to !== undefined) return { to: { ...fromOvonTo(event.to, scene.peers), ...flag }, isSenderTo: false };
  if (!isPrivate || !isSaid(event)) return { to: undefined, isSenderTo: false };
  const target = targetNear(index, events);
  const to = target ?? scene.senderTo;
  if (to === undefined) return { to: scene.receiver && { ...scene.receiver, private: true }, isSenderTo: false };
  return { to: { ...fromOvonTo(to, scene.peers), private: true }, isSenderTo: target === undefined };
}

function isSaid(event: OvonEvent): event is Said {
  return event.eventType === "utterance" || event.eventType === "whisper";
}

/** Spec 1.13 and 1.17: a whisper tells the one invited or asked what is wanted; the nearest before it, else behind it. */
function targetNear(index: number, events: readonly OvonEvent[]): string | undefined {
  const targets = ["invite", "findAssistant", "requestManifest"];
  const isTarget = (event: OvonEvent) => targets.includes(event.eventType) && event.to !== undefined;
  return (events.slice(0, index).findLast(isTarget) ?? events.slice(index + 1).find(isTarget))?.to;
}

function fromOvonEvent(event: OvonEvent, to: To | undefined, at: Place, scene: Scene): FloorEvent[] {
  if (event.eventType === "acknowledge") return [];
  if (isSaid(event)) return fromSaid(event, to, at, scene);
  const { eventType: _, to: __, private: isPrivate, parameters: ___, ...others } = event;
  if (isPrivate === true && to === undefined) {
    scene.losses.push({ path: pointer({ up: at, key: "private" }), why: "it does not say for whom alone it is" });
  }
  const common = { ...others, ...(to && { to }) };
  switch (event.eventType) {
    case "invite":
    case "bye":
      return [{ ...common, eventType: event.eventType }];
    case "requestManifest":
      return [{ ...common, eventType: "getManifests" }];
    case "findAssistant":
      // Spec 1.17: the one asked may propose itself as well as others.
      return [{ ...common, eventType: "getManifests", parameters: { recommendScope: "all" } }];
    case "publishManifest":
    case "proposeAssistant":
      return [{ ...common, eventType: "publishManifests", parameters: fromManifests(event, at, scene) }];
  }
}

function fromSaid(event: Said, to: To | undefined, at: Place, scene: Scene): FloorEvent[] {
  const { eventType, to: _, private: isPrivate, parameters, ...others } = event;
  if (to === undefined && (eventType === "whisper" || isPrivate === true)) {
    scene.losses.push({ path: pointer(at), why: "nobody knows whom it is for, and it is not for everyone" });
    return [];
  }
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const dialogEvent = fromOvonDialogEvent(parameters.dialogEvent, scene.sender.speakerUri, place, scene);
  noteId(dialogEvent.id, { up: place, key: "id" }, scene);
  return [{ ...others, eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } }];
}

// A history is told to each agent that is invited, so only what is said counts here.
function noteId(id: string, at: Place, { ids, reader }: Scene): void {
  if (ids.has(id)) {
    const problem = `no two dialog events of an envelope share an id, but "${id}" stands here again`;
    report(reader, at, "dialog-event-id-once", problem);
  }
  ids.add(id);
}

function fromManifests(
  event: OvonEvent & { eventType: "publishManifest" | "proposeAssistant" },
  at: Place,
  scene: Scene,
) {
  const place = { up: at, key: "parameters" };
  if (event.eventType === "publishManifest") {
    const { manifest } = event.parameters;
    if (manifest === undefined) return {};
    return { servicingManifests: [fromOvonManifest(manifest, { up: place, key: "manifest" }, scene)] };
  }
  const { parameters } = event;
  const fromList = (key: "servicingManifests" | "discoveryManifests"): ScoredManifest[] =>
    parameters[key].flatMap((manifest: OvonManifest, index) => {
      const here = { up: { up: place, key }, key: index };
      const read = fromOvonManifest(manifest, here, scene);
      return key === "discoveryManifests" && isSelf(read, here, scene) ? [] : [read];
    });
  return { servicingManifests: fromList("servicingManifests"), discoveryManifests: fromList("discoveryManifests") };
}

function isSelf({ identification }: ScoredManifest, at: Place, { sender, reader }: Scene): boolean {
  if (identification.speakerUri !== sender.speakerUri) return false;
  const problem = "an agent does not recommend itself in discoveryManifests, but this is the sender";
  report(reader, at, "ovon-discovery-not-self", problem);
  return true;
}
