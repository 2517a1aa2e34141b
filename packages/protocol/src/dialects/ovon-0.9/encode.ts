// Neutral -> OVON 0.9.3. Lost on the way: conversants, who has which role and who has the floor, and what the files beside
// this one say. What agents of 0.9 asked the floor to keep for them goes back to them.
import type { Envelope } from "../../model/envelope.ts";
import { schemaUrlOf, versionOf } from "../../model/version.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import type { Carried, Encoded, EncodeOptions } from "../dialect.ts";
import { lose, schemaLosses, withoutTaken } from "../losses.ts";
import { publishedManifest, toOvonEvents } from "./encode-events.ts";
import { toOvonManifest } from "./manifest.ts";
import { fromOvonSender, senderLosses, toOvonSender } from "./sender.ts";

const root: JsonPath = { up: undefined, key: "openFloor" };

export function toOvon(envelope: Envelope, { peers, carried, isProposal = false }: EncodeOptions): Encoded {
  const { schema, conversation, sender, events, ...others } = envelope;
  const losses = schemaLosses(schema, "0.9");
  const url = schema.url === undefined ? {} : { url: schemaUrlOf("0.9") };
  const at = { up: root, key: "sender" };
  const ovonSender = toOvonSender(sender, at, losses);
  const published = events.flatMap(publishedManifest).map((manifest) => {
    return toOvonManifest(manifest, root, { peers, losses: [] }).identification;
  });
  const back = fromOvonSender(ovonSender, published, peers);
  losses.push(...senderLosses(sender, back, at));
  const ovon = {
    ...withoutTaken(others, ["responseCode"], root, losses),
    schema: { ...schema, version: versionOf["0.9"], ...url },
    conversation: toConversation(conversation, carried, losses),
    sender: ovonSender,
    events: toOvonEvents(envelope, { peers, losses, senderReadAs: back.speakerUri, isProposal }),
  };
  return { document: { ovon }, losses };
}

function toConversation(conversation: Envelope["conversation"], carried: Carried, losses: Loss[]): unknown {
  const { id, conversants, assignedFloorRoles, floorGranted, ...others } = conversation;
  const at: JsonPath = { up: root, key: "conversation" };
  for (const [key, value] of Object.entries({ conversants, assignedFloorRoles, floorGranted })) {
    if (value !== undefined) lose(losses, at, [key], `0.9 has no ${key}`);
  }
  const { persistentState } = carried;
  return {
    ...withoutTaken(others, ["persistentState", "persistent_state"], at, losses),
    id,
    ...(persistentState !== undefined && { persistentState }),
  };
}
