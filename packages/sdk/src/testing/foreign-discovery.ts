import { once } from "node:events";
import { createServer } from "node:http";

// A discovery agent without our code: plain HTTP and JSON.

/** A received request, unparsed. */
export type Question = {
  document: Record<string, { sender: { speakerUri: string }; conversation: { id: string }; events: WireEvent[] }>;
  /** The task of the private utterance. */
  text: string;
  search: { visited?: string[]; depthLeft?: number; isExplained?: boolean; languages?: string[]; layers?: string[] };
};

type WireEvent = { eventType: string; to?: object; parameters?: Record<string, unknown> };

/** Lists of manifests, a whole document, a bare status, raw text, or no response at all. */
export type ForeignAnswer =
  | { servicingManifests?: unknown; discoveryManifests?: unknown; reasons?: unknown }
  | { openFloor: object }
  | { ovon: object }
  | { status: number }
  | { text: string }
  | "silence";

export type ForeignDiscovery = {
  url: string;
  speakerUri: string;
  questions: Question[];
  close(): Promise<void>;
};

export async function openForeignDiscovery(
  answer: (question: Question, url: string) => ForeignAnswer,
  speakerUri = "tag:finder.example,2026:finder",
): Promise<ForeignDiscovery> {
  const questions: Question[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const question = questionIn(body);
    questions.push(question);
    const said = answer(question, url);
    if (said === "silence") return;
    response.statusCode = "status" in said ? said.status : 200;
    response.setHeader("content-type", "application/json");
    response.end("text" in said ? said.text : JSON.stringify(documentOf(said, question, speakerUri)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/find`;
  return {
    url,
    speakerUri,
    questions,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function questionIn(body: string): Question {
  const document: Question["document"] = JSON.parse(body);
  const events = (document.openFloor ?? document.ovon)?.events ?? [];
  const task = events.find(({ eventType }) => eventType === "utterance" || eventType === "whisper");
  const features = Object(Object(task?.parameters).dialogEvent).features;
  const firstOf = (feature: unknown) => Object(feature).tokens?.[0]?.value;
  return { document, text: firstOf(features?.text) ?? "", search: firstOf(features?.search) ?? {} };
}

function documentOf(said: object, { document }: Question, speakerUri: string): object {
  if ("openFloor" in said || "ovon" in said || "status" in said) return said;
  const { reasons, ...parameters } = said as { reasons?: unknown };
  const { conversation, sender } = document.openFloor ?? { conversation: { id: "" }, sender: { speakerUri: "" } };
  const to = { speakerUri: sender.speakerUri };
  const events: object[] = [{ eventType: "publishManifests", to, parameters }];
  if (reasons !== undefined) events.push(reasonsEvent(reasons, speakerUri, to));
  return {
    openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender: { speakerUri }, events },
  };
}

function reasonsEvent(reasons: unknown, speakerUri: string, to: object): object {
  const features = {
    text: { mimeType: "text/plain", tokens: [{ value: "Why I recommend them." }] },
    reasons: { mimeType: "application/vnd.plenary.reasons+json", tokens: [{ value: { reasons } }] },
  };
  const dialogEvent = { id: "why", speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", to: { ...to, private: true }, parameters: { dialogEvent } };
}

/** A manifest of an agent at an address. */
export function manifestAt<Others extends object>(serviceUrl: string, name: string, others: Others = {} as Others) {
  return {
    identification: {
      speakerUri: `tag:${name.toLowerCase()}.example,2026:1`,
      serviceUrl,
      organization: "Example",
      conversationalName: name,
      synopsis: `${name} helps.`,
    },
    capabilities: [{ keyphrases: [name.toLowerCase()], descriptions: [`knows ${name}`] }],
    ...others,
  };
}
