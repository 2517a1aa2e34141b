// Agents without our code: plain HTTP servers that answer as the test says.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { type Json, utterance } from "./envelopes.ts";

export type Heard = { headers: IncomingHttpHeaders; body: Json; text: string };

export type Reply = { status?: number; type?: string; headers?: Record<string, string>; body: string };

/** Undefined: no answer at all; the connection stays open. */
export type Behaviour = (heard: Heard, agent: Agent) => Reply | undefined | Promise<Reply | undefined>;

export type Agent = {
  url: string;
  speakerUri: string;
  /** Every request to it. */
  heard: Heard[];
  close: () => Promise<void>;
};

const running: Server[] = [];
let made = 0;
const emptyTexts: string[] = [];

export async function startAgent(
  behaviour: Behaviour,
  speakerUri = `tag:agents.example,2026:agent${made}`,
): Promise<Agent> {
  made += 1;
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const one = { headers: request.headers, body: JSON.parse(text) as Json, text };
    heard.push(one);
    emptyTexts.push(...emptyTextsIn(one.body).map((place) => `${speakerUri} was sent an empty ${place}`));
    const reply = await behaviour(one, agent);
    if (reply === undefined) return;
    const { status = 200, type = "application/json", headers = {}, body } = reply;
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(body);
  });
  running.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, "close");
  };
  const agent: Agent = { url: `http://127.0.0.1:${address.port}/`, speakerUri, heard, close };
  return agent;
}

const mandatory = ["speakerUri", "serviceUrl", "organization", "conversationalName", "synopsis"];

/** The strictest reading of the specification: each mandatory text of a conversant exists and is not empty. */
export function emptyTextsIn(body: Json): string[] {
  const root = (body.openFloor ?? body.ovon) as
    | { conversation?: { conversants?: { identification: Json }[] } }
    | undefined;
  return (root?.conversation?.conversants ?? []).flatMap(({ identification }, index) =>
    mandatory
      .filter((key) => typeof identification[key] !== "string" || identification[key].trim() === "")
      .map((key) => `conversants/${index}/identification/${key}`),
  );
}

/** Mandatory texts that agents of this file got empty since the last call. A strict library would refuse them. */
export function takeEmptyTexts(): string[] {
  return emptyTexts.splice(0);
}

export async function closeAgents(): Promise<void> {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

type WireEvent = {
  eventType: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  parameters?: Json;
};

export function eventsIn(heard: Heard): WireEvent[] {
  const root = (heard.body.openFloor ?? heard.body.ovon) as { events: WireEvent[] };
  return root.events;
}

export function textsIn(heard: Heard): string[] {
  return eventsIn(heard).flatMap((event) => {
    if (event.eventType !== "utterance" && event.eventType !== "whisper") return [];
    const { dialogEvent } = event.parameters as {
      dialogEvent: { features: { text: { tokens: { value: string }[] } } };
    };
    return [dialogEvent.features.text.tokens.map(({ value }) => value).join("")];
  });
}

function conversationIn(heard: Heard): Json {
  return ((heard.body.openFloor ?? heard.body.ovon) as { conversation: Json }).conversation;
}

/** An answer in 1.1.0. */
export function answer(heard: Heard, agent: Pick<Agent, "speakerUri" | "url">, ...events: object[]): Reply {
  const sender = { speakerUri: agent.speakerUri, serviceUrl: agent.url };
  const conversation = { id: conversationIn(heard).id };
  return { body: JSON.stringify({ openFloor: { schema: { version: "1.1.0" }, conversation, sender, events } }) };
}

export const silent: Behaviour = (heard, agent) => answer(heard, agent);

/** Repeats each utterance, also when it is addressed to another conversant. */
export const echo: Behaviour = (heard, agent) =>
  answer(heard, agent, ...textsIn(heard).map((text) => utterance(agent.speakerUri, `echo ${text}`)));
