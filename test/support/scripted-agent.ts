// An agent without code of this project: a plain HTTP server that speaks Open Floor 1.1.0 and follows the script of a test.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Json, utterance } from "./envelopes.ts";

type Event = { eventType: string; to?: Json; parameters?: { dialogEvent?: { features: Features } } & Json };
type Features = Record<string, { mimeType: string; tokens: { value: unknown }[] } & Json>;
type Envelope = { conversation: { id: string }; sender: { speakerUri: string }; events: Event[] };

/** One request to the agent, and the ways to answer it. */
export type Cue = {
  conversation: string;
  /** The speakerUri of the sender. */
  from: string;
  events: readonly Event[];
  /** The text of its utterance; empty for other events. */
  text: string;
  features: Features;
  answer(...events: Json[]): void;
  /** Streams a part of the answer. */
  stream(dialogEventId?: string): {
    write(words: string): void;
    /** A step while it composes. */
    step(step: Json): void;
    /** Ends the stream with the finished utterance, which contains all parts. */
    finish(text: string): void;
  };
  /** Settles when the floor no longer waits for the answer. */
  cut: Promise<void>;
};

type Script = {
  name: string;
  /** Called for each utterance; without it the agent answers nothing. */
  onUtterance?: (cue: Cue) => unknown;
  /** Handles any other request first; true when it has answered. */
  onEvent?: (eventType: string, cue: Cue) => boolean;
  roles?: Json;
};

const running = new Set<Server>();
let minted = 0;

export async function startScriptedAgent({ name, onUtterance, onEvent, roles }: Script) {
  // A floor trusts a name at the address where it first joined.
  const speakerUri = `tag:agents.example,2026:${name.toLowerCase()}-${++minted}`;
  const state = { url: "" };
  const identification = () => ({
    speakerUri,
    serviceUrl: state.url,
    organization: "Test agents",
    conversationalName: name,
    synopsis: `${name} does what the test says.`,
    ...(roles && { openFloorRoles: roles }),
  });
  const perform = (cue: Cue): unknown => {
    const [first] = cue.events;
    if (first !== undefined && onEvent?.(first.eventType, cue) === true) return undefined;
    if (cue.events.some(({ eventType }) => eventType === "invite")) return cue.answer({ eventType: "acceptInvite" });
    if (cue.events.some(({ eventType }) => eventType === "getManifests")) {
      const servicingManifests = [{ identification: identification(), capabilities: [] }];
      return cue.answer({ eventType: "publishManifests", parameters: { servicingManifests, discoveryManifests: [] } });
    }
    return cue.text === "" || onUtterance === undefined ? cue.answer() : onUtterance(cue);
  };
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    await perform(cueOf(JSON.parse(body).openFloor, response, { speakerUri, serviceUrl: state.url }));
  };
  let server = await listen(onRequest, 0);
  const { port } = server.address() as AddressInfo;
  state.url = `http://127.0.0.1:${port}/`;
  return {
    name,
    speakerUri,
    port,
    url: state.url,
    /** Closes its port and all connections, as if its process had ended. */
    die: () => end(server),
    async comeBack() {
      server = await listen(onRequest, port);
    },
  };
}

export async function endScriptedAgents(): Promise<void> {
  await Promise.all([...running].map(end));
}

async function listen(onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>, port: number) {
  const server = createServer((request, response) => {
    onRequest(request, response).catch((error) => response.destroy(error));
  });
  running.add(server);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function end(server: Server): Promise<void> {
  if (!running.delete(server)) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function cueOf({ conversation, sender, events }: Envelope, response: ServerResponse, self: Json): Cue {
  const features = events.find(({ eventType }) => eventType === "utterance")?.parameters?.dialogEvent?.features ?? {};
  const envelope = (said: readonly Json[]) =>
    JSON.stringify({
      openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender: self, events: said },
    });
  const speakerUri = String(self.speakerUri);
  return {
    conversation: conversation.id,
    from: sender.speakerUri,
    events,
    features,
    text: (features.text?.tokens ?? []).map(({ value }) => value).join(""),
    answer(...said) {
      response.writeHead(200, { "content-type": "application/json" }).end(envelope(said));
    },
    stream(dialogEventId = `streamed-${++minted}`) {
      const put = (event: string, data: string) => response.write(`event: ${event}\ndata: ${data}\n\n`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      put("start", JSON.stringify({ dialogEventId }));
      return {
        write: (words) => put("delta", JSON.stringify({ delta: words })),
        step: (step) => put("step", JSON.stringify({ step })),
        finish(text) {
          put(
            "envelope",
            envelope([utterance(speakerUri, text, { id: dialogEventId, startTime: new Date().toISOString() })]),
          );
          response.end();
        },
      };
    },
    cut: new Promise((resolve) => response.once("close", () => !response.writableFinished && resolve())),
  };
}
