// Agents as others write them, correct and faulty ones: plain HTTP servers without code of this project.
import { type Json, utterance } from "../support/envelopes.ts";
import { type Behaviour, eventsIn, type Heard, type Reply, startAgent, textsIn } from "../support/http-agent.ts";

/** The event types of each request. */
function asked(heard: readonly Heard[]): string[] {
  return heard.map((one) =>
    eventsIn(one)
      .map(({ eventType }) => eventType)
      .join("+"),
  );
}

/** The dialect of each request. */
export function dialects(heard: readonly Heard[]): string[] {
  return heard.map(({ body }) => {
    const { schema } = (body.openFloor ?? body.ovon) as { schema: { version: string } };
    return schema.version;
  });
}

function conversationId(heard: Heard): string {
  const { conversation } = (heard.body.openFloor ?? heard.body.ovon) as { conversation: { id: string } };
  return conversation.id;
}

export function manifestOf(name: string, speakerUri: string, serviceUrl: string): Json {
  const identification = {
    speakerUri,
    serviceUrl,
    conversationalName: name,
    organization: "Peers",
    synopsis: `${name} is a peer.`,
  };
  const supportedLayers = { input: ["text"], output: ["text", "voice"] };
  const keyphrases = ["peering", "looking"];
  return {
    identification,
    capabilities: [{ keyphrases, descriptions: ["It peers."], languages: ["en"], supportedLayers }],
  };
}

function envelopeOf(heard: Heard, speakerUri: string, events: readonly object[], version = "1.1.0"): Json {
  const conversation = { id: conversationId(heard) };
  return { openFloor: { schema: { version }, conversation, sender: { speakerUri }, events } };
}

function published(manifest: Json): object {
  return { eventType: "publishManifests", parameters: { servicingManifests: [manifest], discoveryManifests: [] } };
}

const isQuestion = (heard: Heard) => asked([heard])[0]?.toLowerCase().includes("manifest") === true;

/** Answers getManifests, and otherwise repeats each utterance. */
export function modern(name: string): Behaviour {
  return (heard, { speakerUri, url }) => {
    const events = isQuestion(heard)
      ? [published(manifestOf(name, speakerUri, url))]
      : textsIn(heard).map((text) => utterance(speakerUri, text));
    return { body: JSON.stringify(envelopeOf(heard, speakerUri, events)) };
  };
}

/** Reads 0.9.3 only. */
export const old: Behaviour = (heard, { url, speakerUri }) => {
  if (heard.body.ovon === undefined) return { status: 400, body: '{"error":"ovon expected"}' };
  const identification = {
    serviceEndpoint: url,
    organization: "Museum",
    conversationalName: "Methuselah",
    serviceName: "old",
    synopsis: "Old.",
    speakerUri,
  };
  const manifest = {
    identification,
    capabilities: [{ keyphrases: ["past"], descriptions: [], supportedLayers: ["text"] }],
  };
  const events = isQuestion(heard) ? [{ eventType: "publishManifest", parameters: { manifest } }] : [];
  const ovon = {
    schema: { version: "0.9.3" },
    conversation: { id: conversationId(heard) },
    sender: { from: url },
    events,
  };
  return { body: JSON.stringify({ ovon }) };
};

/** The same agent after an update: it reads the new version only. */
export const updated: Behaviour = (heard, agent) =>
  heard.body.openFloor === undefined ? { status: 400, body: "{}" } : modern("Methuselah")(heard, agent);

/** Has small faults: a version with blanks, old field names, times without a zone. */
export const quirky: Behaviour = (heard, { speakerUri, url }) => {
  const identification = { speakerUri, serviceUrl: url, conversationalName: "Quirk", serviceName: "Oddities" };
  const capability = { keyphrases: ["odd"], descriptions: ["odd"], supportedLayers: ["text"] };
  const said = textsIn(heard).map((text) => {
    const features = { text: { mimeType: "text/plain", tokens: [{ value: `plugh ${text}` }] } };
    return {
      eventType: "utterance",
      parameters: { dialogEvent: { speakerUri, span: { startTime: "2026-01-01 00:00:00" }, features } },
    };
  });
  const events = isQuestion(heard) ? [published({ identification, capabilities: [capability] })] : said;
  return { body: JSON.stringify(envelopeOf(heard, speakerUri, events, " 1.1.0 ")) };
};

export const liar: Behaviour = () => ({ type: "text/html", body: "<!doctype html><title>Shop</title>" });

/** Never answers. */
export const slow: Behaviour = () => undefined;

/** Would clear the screen, hide text and imitate another name. */
export const hostileName = "\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\r\nplenary: all is well";

export const hostile: Behaviour = (heard, { speakerUri, url }) => {
  const manifest = manifestOf(hostileName, speakerUri, url);
  const capabilities = [
    {
      keyphrases: [hostileName, 7, null],
      descriptions: "none",
      languages: [{}],
      supportedLayers: { input: [hostileName] },
    },
    "nothing",
  ];
  return { body: JSON.stringify(envelopeOf(heard, speakerUri, [published({ ...manifest, capabilities })])) };
};

export const huge: Behaviour = (heard, { speakerUri, url }) => {
  const manifest = manifestOf("Huge", speakerUri, url);
  const capabilities = [{ keyphrases: ["x".repeat(200_000)], descriptions: [] }];
  return { body: JSON.stringify(envelopeOf(heard, speakerUri, [published({ ...manifest, capabilities })])) };
};

/** An address without a server. */
export async function deadAddress(): Promise<string> {
  const agent = await startAgent(slow);
  await agent.close();
  return agent.url;
}

/** An agent whose behaviour the test can change. */
export async function startChangeling(first: Behaviour) {
  let behaviour = first;
  const agent = await startAgent((heard, me): Reply | undefined | Promise<Reply | undefined> => behaviour(heard, me));
  const become = (next: Behaviour) => {
    behaviour = next;
  };
  return { ...agent, become };
}
