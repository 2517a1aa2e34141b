// Open Floor 1.1.0 (and 1.0.1, 1.1.1) is the neutral model; only context events, which it no longer has, are folded away.
import { isRecord } from "../../is-record.ts";
import type { Envelope } from "../../model/envelope.ts";
import type { Deviation } from "../../repair/shape.ts";
import type { Decoded } from "../dialect.ts";
import { fromContextEvents } from "../openfloor-1.0/context-event.ts";
import type { Envelope10 } from "../openfloor-1.0/decode.ts";

export function fromOpenFloor11(envelope: Envelope10, root: string): Decoded {
  if (isNeutral(envelope)) return { envelope, losses: [], carried: {} };
  const at = { up: { up: undefined, key: root }, key: "events" };
  const { events, dialogHistory, losses } = fromContextEvents(envelope.events, at);
  return { envelope: { ...envelope, events }, losses, carried: dialogHistory.length > 0 ? { dialogHistory } : {} };
}

function isNeutral(envelope: Envelope10): envelope is Envelope10 & Envelope {
  return envelope.events.every((event) => event.eventType !== "context");
}

// Names under `openFloor` that no 1.1.0 text has, but real documents do: the published page's schema still lists
// findAssistant and proposeAssistant, agents answer with publishManifest, and older floors send context events.
const rule = "event-type-retired";

const named = (eventType: string) => (value: unknown) => isRecord(value) && value.eventType === eventType;

export const retiredNames: readonly Deviation[] = [
  {
    rule,
    key: "eventType",
    says: "here is one (read as publishManifests)",
    is: named("publishManifest"),
    repair: fromPublishManifest,
  },
  {
    rule,
    key: "eventType",
    says: "here is one (read as getManifests of scope all)",
    is: named("findAssistant"),
    repair: (value) => ({ parameters: { recommendScope: "all" }, ...(value as object), eventType: "getManifests" }),
  },
  {
    rule,
    key: "eventType",
    says: "here is one (read as publishManifests)",
    is: named("proposeAssistant"),
    repair: (value) => ({ ...(value as object), eventType: "publishManifests" }),
  },
];

export const retiredContext: Deviation = {
  rule,
  key: "eventType",
  says: "here is one (its history goes into the invite)",
  is: named("context"),
  repair: (value) => value,
};

/** One manifest, or already the two lists of publishManifests. */
function fromPublishManifest(value: unknown): unknown {
  const event = value as { parameters?: unknown };
  const { parameters } = event;
  if (!isRecord(parameters) || parameters.manifest === undefined) return { ...event, eventType: "publishManifests" };
  const { manifest, ...others } = parameters;
  const servicingManifests = Array.isArray(manifest) ? manifest : [manifest];
  return { ...event, eventType: "publishManifests", parameters: { ...others, servicingManifests } };
}
