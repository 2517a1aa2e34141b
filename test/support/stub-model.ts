// A scripted model behind an OpenAI-compatible endpoint, with node:http only.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createCollection } from "./wait-for.ts";

type Message = { role: string; content: string };

export type Asked = {
  path: string;
  headers: IncomingMessage["headers"];
  body: { model: string; messages: Message[]; stream: boolean } & Record<string, unknown>;
  /** Settles when the connection is closed before the answer was complete. */
  cut: Promise<void>;
};

/** One scripted answer of the endpoint. */
export type Play = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export type StubModel = Awaited<ReturnType<typeof startModel>>;

/** Answers each request with the next scripted answer, and repeats the last one. */
export async function startModel(...plays: Play[]) {
  const asked = createCollection<Asked>();
  const script = [...plays];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const cut = new Promise<void>((resolve) => {
        response.once("close", () => {
          if (!response.writableFinished) resolve();
        });
      });
      const one = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text), cut };
      const play = (script.length > 1 ? script.shift() : script[0]) ?? says("Yes.");
      asked.add(one);
      await play(response, one);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked: asked.items,
    /** The request with that number, from 0, once it has arrived. */
    request: async (number: number): Promise<Asked> => {
      const all = await asked.until(({ length }) => length > number, `request ${number} to the model`);
      return all[number] as Asked;
    },
    /** Replaces the remaining answers. */
    play(...next: Play[]) {
      script.splice(0, script.length, ...next);
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "stub", choices })}\n\n`;
}

export const done = "data: [DONE]\n\n";

/** A whole answer on the wire. */
export function streamOf(words: readonly string[], finish = "stop"): string {
  const deltas = words.map((content) => chunk({ content }));
  return [chunk({ role: "assistant", content: "" }), ...deltas, chunk({}, finish), done].join("");
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
}

export function says(...words: string[]): Play {
  return (response) => {
    open(response);
    response.end(streamOf(words));
  };
}

/** Ends with another finish reason than "stop". */
export function ends(finish: string, ...words: string[]): Play {
  return (response) => {
    open(response);
    response.end(streamOf(words, finish));
  };
}

/** Sends these bytes in chunks of that size, each in a separate packet if possible. */
export function drips(text: string, size: number): Play {
  return async (response) => {
    open(response);
    response.socket?.setNoDelay(true);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

export function refuses(status: number, document: object | string, headers: Record<string, string> = {}): Play {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  };
}

/** Ignores `stream`. */
export function answersWhole(content: string, finish = "stop"): Play {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }];
  return refuses(200, { object: "chat.completion", choices });
}

/** The connection breaks in the middle of a line. */
export function breaksAfter(...words: string[]): Play {
  return async (response) => {
    open(response);
    const text = words.map((content) => chunk({ content })).join("");
    await new Promise<void>((resolve) => response.write(`${text}data: {"choi`, () => resolve()));
    response.destroy();
  };
}

/** Sends this text and then nothing, without an end. */
export function fallsSilentAfter(...words: string[]): Play {
  return (response) => {
    open(response);
    response.write(words.map((content) => chunk({ content })).join("") || ": nothing yet\n\n");
  };
}

/** Writes until the reader closes. */
export const neverEnds: Play = async (response, { cut }) => {
  let isCut = false;
  void cut.then(() => {
    isCut = true;
  });
  open(response);
  while (!isCut) {
    const isRead = response.write(chunk({ content: "and so on " }));
    await new Promise<void>((resolve) => {
      if (isRead) return setImmediate(resolve);
      response.once("drain", resolve);
      response.once("close", resolve);
    });
  }
};
