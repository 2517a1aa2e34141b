// Open Floor 1.0.0 (and 0.9.4, its draft) -> neutral. Written like 1.1.0 but for three things: history comes in a context
// event (see context-event.ts), a conversant may carry state that agents asked the floor to keep, and manifests arrive
// under the name publishManifest in 0.9.4.
import type { Envelope } from "../../model/envelope.ts";
import { schemaUrlOf, versionOf } from "../../model/version.ts";
import type { Carried, Decoded } from "../dialect.ts";
import { type ContextEvent, fromContextEvents } from "./context-event.ts";

type Conversants = NonNullable<Envelope["conversation"]["conversants"]>;

export type Envelope10 = Omit<Envelope, "events"> & { events: (Envelope["events"][number] | ContextEvent)[] };

export function fromOpenFloor10(envelope: Envelope10, root: string): Decoded {
  const at = { up: { up: undefined, key: root }, key: "events" };
  const { events, dialogHistory, losses } = fromContextEvents(envelope.events, at);
  const { conversation, conversantState } = withoutState(envelope.conversation);
  const carried: Carried = {
    ...(conversantState && { conversantState }),
    ...(dialogHistory.length > 0 && { dialogHistory }),
  };
  return { envelope: { ...envelope, schema: neutralSchema(envelope.schema), conversation, events }, losses, carried };
}

export function neutralSchema(schema: Envelope["schema"]): Envelope["schema"] {
  const url = schema.url === undefined ? {} : { url: schemaUrlOf("1.1") };
  return { ...schema, version: versionOf["1.1"], ...url };
}

function withoutState(conversation: Envelope["conversation"]) {
  if (conversation.conversants === undefined) return { conversation };
  const conversantState: Record<string, unknown> = Object.create(null);
  const conversants: Conversants = conversation.conversants.map((conversant) => {
    // The text says persistentState, the schema persistent_state.
    const { persistentState, persistent_state, ...rest } = conversant as typeof conversant & Record<string, unknown>;
    const state = persistentState ?? persistent_state;
    if (state !== undefined) conversantState[rest.identification.speakerUri] = state;
    return state === undefined ? conversant : rest;
  });
  if (Object.keys(conversantState).length === 0) return { conversation };
  return { conversation: { ...conversation, conversants }, conversantState };
}
