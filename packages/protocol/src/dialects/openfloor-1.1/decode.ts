// Open Floor 1.1.0 (and 1.0.1, 1.1.1) is the neutral model; only context events, which it no longer has, are folded away.
import type { Envelope } from "../../envelope.ts";
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
