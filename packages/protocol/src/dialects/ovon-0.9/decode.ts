// OVON 0.9 -> neutral. Lost on the way: responseCode, and in the sender section what sender.ts says. What agents asked the
// floor to keep for them goes to the caller.
import type { Envelope } from "../../model/envelope.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import { repairValue } from "../../repair/repair.ts";
import { type ParseState, shapeOf, unusable } from "../../repair/shape.ts";
import type { Decoded, DecodeOptions } from "../dialect.ts";
import { lose } from "../losses.ts";
import { neutralSchema } from "../openfloor-1.0/decode.ts";
import { fromOvonEvents } from "./decode-events.ts";
import { OvonEnvelope } from "./envelope.ts";
import type { OvonEvent } from "./event.ts";
import type { OvonIdentification } from "./manifest.ts";
import { fromOvonSender } from "./sender.ts";

function fromOvon(ovon: OvonEnvelope, at: JsonPath, state: ParseState, options: DecodeOptions): Decoded {
  const {
    schema,
    conversation: ovonConversation,
    sender: ovonSender,
    events: ovonEvents,
    responseCode,
    ...others
  } = ovon;
  const { persistentState, ...conversation } = ovonConversation;
  const losses: Loss[] = [];
  if (responseCode !== undefined) lose(losses, at, ["responseCode"], "1.1.0 has no responseCode");
  const sender = fromOvonSender(ovonSender, publishedIn(ovonEvents), options.peers);
  const context = { ...options, sender, senderTo: ovonSender.to, at: { up: at, key: "events" }, losses, state };
  const { events, senderToUsed } = fromOvonEvents(ovonEvents, context);
  for (const key of ["to", "replyTo", "reply_to"] as const) {
    if (ovonSender[key] === undefined || (key === "to" && senderToUsed)) continue;
    lose(losses, at, ["sender", key], "in 1.1.0 the sender section tells only who sends");
  }
  const envelope: Envelope = { ...others, schema: neutralSchema(schema), conversation, sender, events };
  return { envelope, losses, carried: persistentState === undefined ? {} : { persistentState } };
}

function publishedIn(events: readonly OvonEvent[]): OvonIdentification[] {
  return events.flatMap((event) =>
    event.eventType === "publishManifest" && event.parameters.manifest !== undefined
      ? [event.parameters.manifest.identification]
      : [],
  );
}

/** The content of the `ovon` key -> the neutral model, or `unusable`. */
export function readOvon(
  content: unknown,
  place: JsonPath,
  state: ParseState,
  options: DecodeOptions,
): Decoded | typeof unusable {
  const ovon = repairValue(shapeOf(OvonEnvelope), content, place, state);
  // The result of `repairValue` has the given shape.
  return ovon === unusable ? unusable : fromOvon(ovon as OvonEnvelope, place, state, options);
}
