// Neutral -> Open Floor 1.0.0. Lost on the way: who has which role and who has the floor, the roles an agent offers (peers
// built on the Python library stop at them), acceptInvite, expectedFloorRoles, scores. A floor that speaks 1.0.0 also sends an
// event to its addressee alone and does nothing on yieldFloor; that is for the floor to know, not for the wire.
import type { Envelope } from "../../model/envelope.ts";
import type { FloorEvent } from "../../model/event.ts";
import type { Identification } from "../../model/manifest.ts";
import { schemaUrlOf, versionOf } from "../../model/version.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import type { Encoded, EncodeOptions } from "../dialect.ts";
import { lose, schemaLosses, withoutTaken } from "../losses.ts";
import { toContextEvent } from "./context-event.ts";

const root: JsonPath = { up: undefined, key: "openFloor" };

export function toOpenFloor10(envelope: Envelope, options: EncodeOptions): Encoded {
  const losses: Loss[] = schemaLosses(envelope.schema, "1.0");
  const url = envelope.schema.url === undefined ? {} : { url: schemaUrlOf("1.0") };
  const openFloor = {
    ...envelope,
    schema: { ...envelope.schema, version: versionOf["1.0"], ...url },
    conversation: toConversation(envelope.conversation, options, losses),
    events: [
      ...envelope.events.flatMap((event, index) =>
        toEvents(event, { up: { up: root, key: "events" }, key: index }, losses),
      ),
      ...toCarriedContext(options.carried),
    ],
  };
  return { document: { openFloor }, losses };
}

/** History that came without an invite is sent back as it came. */
function toCarriedContext({ dialogHistory }: EncodeOptions["carried"]): unknown[] {
  return dialogHistory === undefined ? [] : [{ eventType: "context", parameters: { dialogHistory } }];
}

function toConversation(conversation: Envelope["conversation"], { carried }: EncodeOptions, losses: Loss[]): unknown {
  const { assignedFloorRoles, floorGranted, conversants, ...rest } = conversation;
  const at: JsonPath = { up: root, key: "conversation" };
  for (const [key, value] of Object.entries({ assignedFloorRoles, floorGranted })) {
    if (value !== undefined) lose(losses, at, [key], `1.0.0 has no ${key}`);
  }
  if (conversants === undefined) return rest;
  const listed = conversants.map((conversant, index) => {
    const place = { up: { up: at, key: "conversants" }, key: index };
    const { identification: whole, ...others } = conversant;
    const identification = withoutRoles(whole, { up: place, key: "identification" }, losses);
    const kept = withoutTaken(others, ["persistentState", "persistent_state"], place, losses);
    const persistentState = carried.conversantState?.[identification.speakerUri];
    return { ...kept, identification, ...(persistentState !== undefined && { persistentState }) };
  });
  return { ...rest, conversants: listed };
}

function withoutRoles<T extends Identification>(identification: T, at: JsonPath, losses: Loss[]): T {
  if (identification.openFloorRoles === undefined) return identification;
  lose(losses, at, ["openFloorRoles"], "manifests of 1.0.0 have no openFloorRoles");
  const { openFloorRoles: _, ...rest } = identification;
  return rest as T;
}

function toEvents(event: FloorEvent, at: JsonPath, losses: Loss[]): unknown[] {
  switch (event.eventType) {
    case "acceptInvite":
      lose(losses, at, [], "1.0.0 has no acceptInvite: any answer but declineInvite accepts");
      return [];
    case "invite":
      return toContextEvent(event, at, losses);
    case "publishManifests":
      return [toManifests(event, at, losses)];
    default:
      return [event];
  }
}

function toManifests(event: FloorEvent & { eventType: "publishManifests" }, at: JsonPath, losses: Loss[]): unknown {
  if (event.parameters === undefined) return event;
  const parameters: Record<string, unknown> = { ...event.parameters };
  for (const key of ["servicingManifests", "discoveryManifests"] as const) {
    const list: JsonPath = { up: { up: at, key: "parameters" }, key };
    const manifests = event.parameters[key];
    if (manifests === undefined) continue;
    parameters[key] = manifests.map((manifest, index) => {
      const at = { up: list, key: index };
      const { score, ...unscored } = manifest;
      if (score !== undefined) lose(losses, at, ["score"], "manifests of 1.0.0 have no score");
      const identification = withoutRoles(manifest.identification, { up: at, key: "identification" }, losses);
      return { ...unscored, identification };
    });
  }
  return { ...event, parameters };
}
