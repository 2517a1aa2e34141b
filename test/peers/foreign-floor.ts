// A floor as others write them: it posts envelopes to an agent and reads the answer. It contains no code of this project.
// Each peer beside this file says how it names the agent, itself and the speaker.

type Wire = Record<string, unknown>;
export type WireEvent = {
  eventType: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  parameters?: Wire;
};

export const person = "tag:people.example,2026:ann";
export const floor = "tag:floor.example,2026:floor";

type Letter = { conversation?: Wire; sender?: Wire; version?: string };

let letters = 0;

/** The status, and the events and the sender of the answer. */
export async function post(url: string, events: object[], { conversation, sender, version = "1.1.0" }: Letter = {}) {
  const openFloor = {
    schema: { version },
    conversation: { id: "conv-1", ...conversation },
    sender: sender ?? { speakerUri: person, serviceUrl: "https://floor.example/at/ann" },
    events,
  };
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ openFloor }) });
  const body = (await response.json()) as { openFloor?: { events: WireEvent[]; sender: Wire } };
  return { status: response.status, events: body.openFloor?.events ?? [], sender: body.openFloor?.sender };
}

export function says(text: string, to?: object, speakerUri = person): object {
  letters += 1;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: `de-${letters}`, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

export const spokenIn = (events: readonly WireEvent[]): string[] =>
  events.flatMap(({ eventType, parameters }) => {
    if (eventType !== "utterance") return [];
    const { dialogEvent } = parameters as { dialogEvent: { features: { text: { tokens: { value: string }[] } } } };
    return [dialogEvent.features.text.tokens.map(({ value }) => value).join("")];
  });

export const typesIn = (events: readonly WireEvent[]): string[] => events.map(({ eventType }) => eventType);

export function seat(speakerUri: string, serviceUrl: string, conversationalName: string): object {
  return {
    identification: { speakerUri, serviceUrl, organization: "Example", conversationalName, synopsis: "A guest." },
  };
}
