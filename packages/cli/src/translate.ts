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

const dialectOf: Record<TargetVersion, Dialect> = { "0.9.3": "0.9", "1.0.0": "1.0", "1.1.0": "1.1" };

type ReadEnvelope = ParsedEnvelope & { ok: true };

/** The document in another version, with the losses of both ways: out of its own version, and into the other. */
export function translate(parsed: ReadEnvelope, to: TargetVersion): Encoded {
  const dialect = dialectOf[to];
  const { document, losses } = encodeEnvelope(asNeutral(parsed.envelope), dialect, { carried: parsed.carried });
  return { document, losses: [...parsed.losses, ...stateLosses(parsed, dialect), ...losses] };
}

/** 1.0.1 and 1.1.1 are written like 1.1.0 but call themselves otherwise. Who converts asks for just that to change. */
function asNeutral(envelope: Envelope): Envelope {
  const { schema } = envelope;
  const version = versionOf["1.1"];
  if (schema.version === version) return envelope;
  const url = schema.url === undefined ? {} : { url: schema.url.replaceAll(`/${schema.version}/`, `/${version}/`) };
  return { ...envelope, schema: { ...schema, version, ...url } };
}

/** A floor keeps what agents of older versions asked it to remember for them; a file has nowhere to keep it. */
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
