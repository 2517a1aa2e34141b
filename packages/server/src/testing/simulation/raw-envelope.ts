// Envelopes written by hand: the people and agents of a run use none of our code.

export type RawEvent = {
  eventType: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  reason?: string;
  parameters?: Record<string, unknown>;
};

export type RawEnvelope = {
  conversation: { id: string; floorGranted?: string[]; assignedFloorRoles?: { convener?: string[] } };
  sender: { speakerUri: string; serviceUrl?: string };
  events: RawEvent[];
};

export function envelopeText({ conversation, sender, events }: RawEnvelope): string {
  return JSON.stringify({ openFloor: { schema: { version: "1.1.0" }, conversation, sender, events } });
}

type Read = RawEnvelope & { schema: { version: string } };

export function readEnvelope(text: string): Read {
  const { openFloor, ovon } = JSON.parse(text) as { openFloor?: Read; ovon?: Read };
  const read = openFloor ?? ovon;
  if (read === undefined) throw new Error(`this is not an envelope: ${text}`);
  return read;
}

export function utterance(speakerUri: string, id: string, text: string, to?: RawEvent["to"]): RawEvent {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

export function utteranceIds(events: readonly { eventType: string; parameters?: unknown }[]): string[] {
  return events.flatMap(({ eventType, parameters }) => {
    if (eventType !== "utterance") return [];
    return [(parameters as { dialogEvent: { id: string } }).dialogEvent.id];
  });
}

export function textOf({ parameters }: { parameters?: unknown }): string {
  const { dialogEvent } = parameters as { dialogEvent: { features: { text?: { tokens?: { value?: unknown }[] } } } };
  return (dialogEvent.features.text?.tokens ?? []).map(({ value }) => String(value)).join("");
}
