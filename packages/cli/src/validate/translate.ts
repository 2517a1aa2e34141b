import {
  type Dialect,
  type Encoded,
  type Envelope,
  encodeEnvelope,
  type Loss,
  type ParsedEnvelope,
  versionOf,
} from "@plenary/protocol";
import type { TargetVersion } from "./target-version.ts";

const dialectOf: Record<TargetVersion, Dialect> = { "0.9.3": "0.9", "1.0.0": "1.0", "1.1.0": "1.1", "1.1.1": "1.1" };

type ReadEnvelope = ParsedEnvelope & { ok: true };

/** The document in another version, with the losses of reading and of writing it. */
export function translate(parsed: ReadEnvelope, to: TargetVersion): Encoded {
  const dialect = dialectOf[to];
  const renamed = withVersion(parsed.envelope, to === "1.1.1" ? to : versionOf["1.1"]);
  const older = to === "1.1.0" ? withoutExpectedRoles(renamed) : { envelope: renamed, losses: [] };
  const { document, losses } = encodeEnvelope(older.envelope, dialect, { carried: parsed.carried });
  return { document, losses: [...parsed.losses, ...stateLosses(parsed, dialect), ...older.losses, ...losses] };
}

/** 1.0.1, 1.1.0 and 1.1.1 have the same format and differ in the version number. */
function withVersion(envelope: Envelope, version: string): Envelope {
  const { schema } = envelope;
  if (schema.version === version) return envelope;
  const url = schema.url === undefined ? {} : { url: schema.url.replaceAll(`/${schema.version}/`, `/${version}/`) };
  return { ...envelope, schema: { ...schema, version, ...url } };
}

/** 1.1.1 added expectedFloorRoles to invites. Its other additions are valid in 1.1.0 too. */
function withoutExpectedRoles(envelope: Envelope): { envelope: Envelope; losses: Loss[] } {
  const losses: Loss[] = [];
  const events = envelope.events.map((event, index) => {
    if (event.eventType !== "invite" || event.parameters?.expectedFloorRoles === undefined) return event;
    const path = `/openFloor/events/${index}/parameters/expectedFloorRoles`;
    losses.push({ path, why: "1.1.0 has no expectedFloorRoles" });
    const { parameters, ...bare } = event;
    const { expectedFloorRoles: _, ...others } = parameters;
    return Object.keys(others).length === 0 ? bare : { ...bare, parameters: others };
  });
  return losses.length === 0 ? { envelope, losses } : { envelope: { ...envelope, events }, losses };
}

/** A floor stores persistentState for agents of older versions; a converted file has no place for it. */
function stateLosses({ envelope, carried }: ReadEnvelope, dialect: Dialect): Loss[] {
  const losses: Loss[] = [];
  if (carried.persistentState !== undefined && dialect !== "0.9") {
    losses.push({ path: "/ovon/conversation/persistentState", why: "only 0.9 keeps state for a conversation" });
  }
  const { conversantState } = carried;
  if (conversantState === undefined || dialect === "1.0") return losses;
  for (const [index, { identification }] of (envelope.conversation.conversants ?? []).entries()) {
    if (!Object.hasOwn(conversantState, identification.speakerUri)) continue;
    const path = `/openFloor/conversation/conversants/${index}/persistentState`;
    losses.push({ path, why: "only 1.0.0 keeps state for a conversant" });
  }
  return losses;
}
