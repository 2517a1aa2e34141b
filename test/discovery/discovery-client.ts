// Asks discovery agents with plain documents over HTTP.
export type Json = Record<string, unknown>;

type Recommended = {
  identification: { conversationalName: string; serviceUrl: string; speakerUri: string };
  score?: number;
};
type WireEvent = {
  eventType: string;
  to?: Json;
  parameters?: { servicingManifests?: Recommended[]; discoveryManifests?: Recommended[]; dialogEvent?: Json };
};

export const asker = "tag:askers.example,2026:ann";
let asked = 0;

export async function post(url: string, document: Json): Promise<Json> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(document) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}

export async function send(url: string, events: readonly object[]): Promise<WireEvent[]> {
  asked += 1;
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: `asking-${asked}` },
    sender: { speakerUri: asker },
    events,
  };
  const { openFloor: answered } = await post(url, { openFloor });
  return (answered as { events: WireEvent[] }).events;
}

function taskFor(to: Json, text: string, features: Json = {}): object {
  asked += 1;
  const dialogEvent = {
    id: `task-${asked}`,
    speakerUri: asker,
    span: { startTime: "2026-01-01T00:00:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...features },
  };
  return { eventType: "utterance", to: { ...to, private: true }, parameters: { dialogEvent } };
}

/** Spec 1.17, use case 3: names and scores of the recommended agents. */
export async function recommended(url: string, task: string, search?: Json) {
  const to = { serviceUrl: url };
  const mimeType = "application/vnd.plenary.search+json";
  const features = search && { search: { mimeType, tokens: [{ value: search }] } };
  const question = { eventType: "getManifests", to, parameters: { recommendScope: "external" } };
  const events = await send(url, [question, taskFor(to, task, features)]);
  const { servicingManifests = [], discoveryManifests = [] } =
    events.find(({ eventType }) => eventType === "publishManifests")?.parameters ?? {};
  const nameOf = ({ identification }: Recommended) => identification.conversationalName;
  return {
    events,
    servicing: servicingManifests.map(nameOf),
    discovery: discoveryManifests.map(nameOf),
    scores: servicingManifests.map(({ score }) => score),
  };
}
