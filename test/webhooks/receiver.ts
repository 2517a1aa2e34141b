// A receiver of webhooks without our code. It verifies each signature by the text of Standard Webhooks.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterEach } from "vitest";
import { type Json, wordsIn } from "../support/envelopes.ts";
import { createCollection } from "../support/wait-for.ts";

export type Message = {
  id: string;
  type: string;
  timestamp: string;
  data: { conversation: string; seq: number; entry: Json };
  headers: IncomingHttpHeaders;
  text: string;
};

type Answer = { status: number; headers?: Record<string, string>; body?: string };

/** Undefined: no answer, the connection stays open. */
type Behaviour = (message: Message) => Answer | undefined | Promise<Answer | undefined>;

const open = new Set<() => Promise<void>>();

afterEach(async () => {
  for (const close of open) await close();
  open.clear();
});

export async function startReceiver(behaviour: Behaviour = () => ({ status: 204 }), port = 0) {
  const received = createCollection<Message>();
  const state = { behaviour };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { headers } = request;
    const message = { id: String(headers["webhook-id"]), headers, text, ...JSON.parse(text) } as Message;
    received.add(message);
    const answer = await state.behaviour(message);
    if (answer === undefined) return;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, "close");
  };
  open.add(close);
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    received,
    /** Every message that arrived, repetitions included. */
    all: received.items,
    answer: (next: Behaviour) => {
      state.behaviour = next;
    },
    close,
  };
}

/** The secrets whose signature the message has. */
export function signedBy({ headers, text }: Message, secrets: readonly string[]): string[] {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  const given = String(headers["webhook-signature"]).split(" ");
  return secrets.filter((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
    return given.includes(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  });
}

/** Conversation and number of each message, repetitions of one id dropped. */
export function places(messages: readonly Message[]): string[] {
  const first = new Map(messages.filter(({ type }) => type !== "ping").map((message) => [message.id, message]));
  return [...first.values()].map(({ data }) => `${data.conversation} ${data.seq}`);
}

/** The texts of the events in the messages. */
export function textsIn(messages: readonly Message[]): string[] {
  return messages.filter(({ type }) => type === "entry.event").flatMap(({ data }) => wordsIn(data.entry));
}
