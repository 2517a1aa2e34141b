// What crosses the network, written by hand: neither people nor agents of a run know this project.

export type WireEvent = {
  eventType: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  reason?: string;
  parameters?: Record<string, unknown>;
};

export type WireEnvelope = {
  conversation: { id: string; floorGranted?: string[]; assignedFloorRoles?: { convener?: string[] } };
  sender: { speakerUri: string; serviceUrl?: string };
  events: WireEvent[];
};

export function envelopeText({ conversation, sender, events }: WireEnvelope): string {
  return JSON.stringify({ openFloor: { schema: { version: "1.1.0" }, conversation, sender, events } });
}

type Read = WireEnvelope & { schema: { version: string } };

export function readEnvelope(text: string): Read {
  const { openFloor, ovon } = JSON.parse(text) as { openFloor?: Read; ovon?: Read };
  const read = openFloor ?? ovon;
  if (read === undefined) throw new Error(`this is no envelope: ${text}`);
  return read;
}

export function utterance(speakerUri: string, id: string, text: string, to?: WireEvent["to"]): WireEvent {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

/** The ids of the utterances among events, ours or theirs. */
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
