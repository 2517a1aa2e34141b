// Agents for NeMo clients: plain HTTP servers that speak Open Floor 1.1.0 by hand and follow the script of the test.
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type Json, utterance } from "../support/envelopes.ts";
import { createCollection } from "../support/wait-for.ts";

type Features = Record<string, { mimeType?: string; tokens: { value: unknown }[] }>;
type Event = { eventType: string; to?: Json; parameters?: { dialogEvent?: { features: Features } } };
type Envelope = { conversation: { id: string }; sender: { speakerUri: string }; events: Event[] };
type More = { id?: string; to?: Json; features?: Json };

type Step = { id: string; parent?: string; title: string; detail?: string; state: string };

type Streaming = {
  write(words: string): void;
  /** The steps of the agent while it composes. */
  step(step: Step): void;
  finish(text: string, more?: More): void;
};

/** An utterance of a person that reached an agent, and the ways to answer it. */
export type Cue = {
  conversation: string;
  /** The speakerUri of the person. */
  from: string;
  text: string;
  to: Json | undefined;
  features: Features;
  /** The choice, when this utterance answers a question of this agent. */
  chosen: { id: string; values: string[]; lapsed?: true } | undefined;
  headers: IncomingHttpHeaders;
  answer(...events: Json[]): void;
  say(text: string, more?: More): void;
  /** Asks that person only (D31). */
  ask(question: Json): void;
  stream(): Streaming;
  /** Answers with something that is not an envelope. */
  fail(status: number, body: string): void;
  /** Settles when the floor no longer waits for the answer; true when it disconnected before the answer was complete. */
  cut: Promise<boolean>;
};

export type ScriptedAgent = {
  name: string;
  url: string;
  speakerUri: string;
  /** The utterances of people to this agent. */
  cues: ReturnType<typeof createCollection<Cue>>;
  /** Every request that it got, with headers. */
  requests: string[];
  die(): Promise<void>;
};

type Script = (cue: Cue) => unknown;

const mark = "tag:agents.example,2026:";

export function createScriptedAgents() {
  const servers: Server[] = [];
  let minted = 0;
  const start = async (name: string, script: Script): Promise<ScriptedAgent> => {
    minted += 1;
    const self = { name, speakerUri: `${mark}${name.toLowerCase()}-${minted}-${process.pid}`, url: "" };
    const cues = createCollection<Cue>();
    const requests: string[] = [];
    const server = createServer((request, response) => {
      const onRequest = async () => {
        const text = await textOf(request);
        requests.push(`${JSON.stringify(request.headers)}\n${text}`);
        const cue = cueOf(JSON.parse(text).openFloor, { self, response, headers: request.headers });
        if (cue === undefined) return;
        cues.add(cue);
        await script(cue);
      };
      onRequest().catch((error) => response.destroy(error));
    });
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { ...self, cues, requests, die: () => end(server) };
  };
  return { start, close: () => Promise.all(servers.map(end)) };
}

async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

type Self = { name: string; speakerUri: string; url: string };
type Asked = { self: Self; response: ServerResponse; headers: IncomingHttpHeaders };

/** Undefined when it was not an utterance of a person: then the request has been answered in the usual way. */
function cueOf(envelope: Envelope, { self, response, headers }: Asked): Cue | undefined {
  const { conversation, sender, events } = envelope;
  const body = (...said: Json[]) =>
    JSON.stringify({
      openFloor: {
        schema: { version: "1.1.0" },
        conversation: { id: conversation.id },
        sender: { speakerUri: self.speakerUri, serviceUrl: self.url },
        events: said,
      },
    });
  const answer = (...said: Json[]) => {
    response.writeHead(200, { "content-type": "application/json" }).end(body(...said));
  };
  const heard = events.find(({ eventType }) => eventType === "utterance");
  const isPersons = !sender.speakerUri.startsWith(mark);
  if (heard === undefined || !isPersons) return void answer(...manners(events, self));
  const features = heard.parameters?.dialogEvent?.features ?? {};
  const spoken = (text: string, more?: More) =>
    utterance(self.speakerUri, text, { id: crypto.randomUUID(), startTime: new Date().toISOString(), ...more });
  return {
    conversation: conversation.id,
    from: sender.speakerUri,
    to: heard.to,
    features,
    headers,
    answer,
    text: (features.text?.tokens ?? []).map(({ value }) => value).join(""),
    chosen: features.interactionReply?.tokens[0]?.value as Cue["chosen"],
    // A private utterance is answered in private.
    say: (text, more) =>
      answer(
        spoken(text, {
          ...(heard.to?.private === true && { to: { speakerUri: sender.speakerUri, private: true } }),
          ...more,
        }),
      ),
    ask: (question) =>
      answer(
        spoken(String(question.text), {
          to: { speakerUri: sender.speakerUri, private: true },
          features: {
            interaction: { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: question }] },
          },
        }),
      ),
    stream: () => streamOf(response, (text, more) => body(spoken(text, more))),
    fail: (status, words) => response.writeHead(status, { "content-type": "text/plain" }).end(words),
    cut: once(response, "close").then(() => !response.writableFinished),
  };
}

/** Joins when it is invited, and publishes its identity. */
function manners(events: readonly Event[], { name, speakerUri, url }: Self): Json[] {
  if (events.some(({ eventType }) => eventType === "invite")) return [{ eventType: "acceptInvite" }];
  if (!events.some(({ eventType }) => eventType === "getManifests")) return [];
  const identification = {
    speakerUri,
    serviceUrl: url,
    organization: "Test agents",
    conversationalName: name,
    synopsis: `${name} does what the test says.`,
  };
  const servicingManifests = [{ identification, capabilities: [] }];
  return [{ eventType: "publishManifests", parameters: { servicingManifests, discoveryManifests: [] } }];
}

function streamOf(response: ServerResponse, envelopeOf: (text: string, more?: More) => string): Streaming {
  const id = `streamed-${crypto.randomUUID()}`;
  const put = (event: string, words: string) => response.write(`event: ${event}\ndata: ${words}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  put("start", JSON.stringify({ dialogEventId: id }));
  return {
    write: (words: string) => void put("delta", JSON.stringify({ delta: words })),
    step: (step) => void put("step", JSON.stringify({ step })),
    finish(text: string, more: More = {}) {
      put("envelope", envelopeOf(text, { ...more, id }));
      response.end();
    },
  };
}

/** The steps of an agent, beside its text. */
export function stepsFeature(...steps: { id: string; parent?: string; name: string; payload: string }[]): Json {
  return { steps: { mimeType: "application/vnd.plenary.steps+json", tokens: [{ value: { steps } }] } };
}
