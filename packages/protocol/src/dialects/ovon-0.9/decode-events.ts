// Events of 0.9 -> neutral. A whisper is a private utterance, requestManifest and findAssistant are getManifests,
// publishManifest and proposeAssistant are publishManifests, acknowledge is nothing. 0.9.4 and later have the rest.
// Lost going up: whispers without an addressee, and `private` without one.
import type { Sender } from "../../model/envelope.ts";
import type { FloorEvent, To } from "../../model/event.ts";
import type { ScoredManifest } from "../../model/manifest.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import { report } from "../../repair/repair.ts";
import type { ParseState } from "../../repair/shape.ts";
import type { DecodeOptions } from "../dialect.ts";
import { lose } from "../losses.ts";
import { fromOvonDialogEvent } from "./dialog-event.ts";
import type { OvonEvent } from "./event.ts";
import { fromOvonManifest, type OvonManifest } from "./manifest.ts";
import { unmarked } from "./marks.ts";
import { fromOvonTo } from "./to.ts";

/** Asked of an agent of 0.9, this is a findAssistant, which proposeAssistant answers. */
export function asksForProposals(event: FloorEvent): boolean {
  return event.eventType === "getManifests" && (event.parameters?.recommendScope ?? "internal") !== "internal";
}

/** What an event needs from its envelope. */
type DecodeContext = DecodeOptions & {
  sender: Sender;
  senderTo: string | undefined;
  at: JsonPath;
  losses: Loss[];
  state: ParseState;
  /** Of the dialog events read so far. */
  ids: Set<string>;
};

type OvonUtteranceEvent = OvonEvent & { eventType: "utterance" | "whisper" };

export function fromOvonEvents(ovonEvents: readonly OvonEvent[], around: Omit<DecodeContext, "ids">) {
  const context: DecodeContext = { ...around, ids: new Set() };
  const events: FloorEvent[] = [];
  let senderToUsed = false;
  for (const [index, event] of ovonEvents.entries()) {
    const at = { up: context.at, key: index };
    if (isDeclineReason(event, ovonEvents[index + 1])) continue;
    const invite = events.at(-1);
    if (isHistoryOf(event, ovonEvents[index - 1]) && invite?.eventType === "invite") {
      events[events.length - 1] = withHistory(invite, event, at, context);
      continue;
    }
    const addressee = addresseeOf(event, index, ovonEvents, context);
    senderToUsed ||= addressee.isSenderTo;
    events.push(...fromOvonEvent(event, addressee.to, at, context));
  }
  return { events, senderToUsed };
}

/** The spoken reason of a declined invite, for 0.9; the bye after it stands for both. */
function isDeclineReason(event: OvonEvent, next: OvonEvent | undefined): boolean {
  if (event.eventType !== "utterance" || next?.eventType !== "bye") return false;
  return unmarked(event.parameters.dialogEvent.id, ":plenary:reason") !== undefined;
}

function isHistoryOf(event: OvonEvent, previous: OvonEvent | undefined): event is OvonUtteranceEvent {
  if (event.eventType !== "whisper" || previous?.eventType !== "invite" || event.to !== previous.to) return false;
  return unmarked(event.parameters.dialogEvent.id, ":plenary:history") !== undefined;
}

function withHistory(
  invite: FloorEvent & { eventType: "invite" },
  whisper: OvonUtteranceEvent,
  at: JsonPath,
  context: DecodeContext,
): FloorEvent {
  const { dialogEvent } = whisper.parameters;
  const id = unmarked(dialogEvent.id, ":plenary:history") ?? dialogEvent.id;
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const past = { ...fromOvonDialogEvent(dialogEvent, context.sender.speakerUri, place, context), id };
  return { ...invite, parameters: { ...invite.parameters, dialogHistory: [past] } };
}

type Addressee = { to: To | undefined; isSenderTo: boolean };

function addresseeOf(event: OvonEvent, index: number, events: readonly OvonEvent[], context: DecodeContext): Addressee {
  const isWhisper = event.eventType === "whisper";
  const isPrivate = isWhisper || event.private === true;
  const flag = isWhisper ? { private: true } : event.private === undefined ? {} : { private: event.private };
  if (event.to !== undefined) return { to: { ...fromOvonTo(event.to, context.peers), ...flag }, isSenderTo: false };
  if (!isPrivate || !isUtterance(event)) return { to: undefined, isSenderTo: false };
  const target = targetNear(index, events);
  const to = target ?? context.senderTo;
  if (to === undefined) return { to: context.receiver && { ...context.receiver, private: true }, isSenderTo: false };
  return { to: { ...fromOvonTo(to, context.peers), private: true }, isSenderTo: target === undefined };
}

function isUtterance(event: OvonEvent): event is OvonUtteranceEvent {
  return event.eventType === "utterance" || event.eventType === "whisper";
}

/** Spec 1.13 and 1.17: a whisper gives the task to the invited or asked agent: of the nearest event before it, else after it. */
function targetNear(index: number, events: readonly OvonEvent[]): string | undefined {
  const targets = ["invite", "findAssistant", "requestManifest"];
  const isTarget = (event: OvonEvent) => targets.includes(event.eventType) && event.to !== undefined;
  return (events.slice(0, index).findLast(isTarget) ?? events.slice(index + 1).find(isTarget))?.to;
}

function fromOvonEvent(event: OvonEvent, to: To | undefined, at: JsonPath, context: DecodeContext): FloorEvent[] {
  if (event.eventType === "acknowledge") return [];
  if (isUtterance(event)) return fromUtterance(event, to, at, context);
  const { eventType: _, to: __, private: isPrivate, parameters: ___, ...others } = event;
  if (isPrivate === true && to === undefined) {
    lose(context.losses, at, ["private"], "it is private and names no addressee");
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
      return [{ ...common, eventType: "publishManifests", parameters: fromManifests(event, at, context) }];
  }
}

function fromUtterance(
  event: OvonUtteranceEvent,
  to: To | undefined,
  at: JsonPath,
  context: DecodeContext,
): FloorEvent[] {
  const { eventType, to: _, private: isPrivate, parameters, ...others } = event;
  if (to === undefined && (eventType === "whisper" || isPrivate === true)) {
    lose(context.losses, at, [], "it is private and its addressee is unknown");
    return [];
  }
  const place = { up: { up: at, key: "parameters" }, key: "dialogEvent" };
  const dialogEvent = fromOvonDialogEvent(parameters.dialogEvent, context.sender.speakerUri, place, context);
  noteId(dialogEvent.id, { up: place, key: "id" }, context);
  return [{ ...others, eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } }];
}

// A history is repeated for each invited agent, so only utterances count here.
function noteId(id: string, at: JsonPath, { ids, state }: DecodeContext): void {
  if (ids.has(id)) {
    const problem = `no two dialog events of an envelope share an id, but "${id}" stands here again`;
    report(state, at, "dialog-event-id-once", problem);
  }
  ids.add(id);
}

function fromManifests(
  event: OvonEvent & { eventType: "publishManifest" | "proposeAssistant" },
  at: JsonPath,
  context: DecodeContext,
) {
  const place = { up: at, key: "parameters" };
  if (event.eventType === "publishManifest") {
    const { manifest } = event.parameters;
    if (manifest === undefined) return {};
    return { servicingManifests: [fromOvonManifest(manifest, { up: place, key: "manifest" }, context)] };
  }
  const { parameters } = event;
  const fromList = (key: "servicingManifests" | "discoveryManifests"): ScoredManifest[] =>
    parameters[key].flatMap((manifest: OvonManifest, index) => {
      const here = { up: { up: place, key }, key: index };
      const read = fromOvonManifest(manifest, here, context);
      return key === "discoveryManifests" && isSelf(read, here, context) ? [] : [read];
    });
  return { servicingManifests: fromList("servicingManifests"), discoveryManifests: fromList("discoveryManifests") };
}

function isSelf({ identification }: ScoredManifest, at: JsonPath, { sender, state }: DecodeContext): boolean {
  if (identification.speakerUri !== sender.speakerUri) return false;
  const problem = "an agent does not recommend itself in discoveryManifests, but this is the sender";
  report(state, at, "ovon-discovery-not-self", problem);
  return true;
}
