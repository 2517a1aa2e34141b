// A NeMo client in HTTP mode, and a client of OpenAI, written by hand.
import { vi } from "vitest";
import { patience } from "../support/wait-for.ts";
import type { Json } from "./frame-checks.ts";

export type Asked = {
  path?: string;
  body?: Json | string;
  agents?: readonly { url: string }[];
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export const user = (content: string) => ({ role: "user", content });

export async function postTo({ url }: { url: string }, asked: Asked): Promise<Response> {
  const { path = "/v1/chat/completions", body = {}, agents, headers, signal } = asked;
  const query = agents === undefined ? "" : `?agents=${encodeURIComponent(agents.map((agent) => agent.url).join(","))}`;
  return fetch(`${url}${path}${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Lines in their order, each with its field before the colon. */
export async function* linesOf(response: Response): AsyncGenerator<{ field: string; value: string }> {
  let rest = "";
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${rest}${text}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const at = block.indexOf(": ");
      yield { field: block.slice(0, at), value: block.slice(at + 2) };
    }
  }
}

export async function allLines(response: Response) {
  const lines: { field: string; value: string }[] = [];
  for await (const line of linesOf(response)) lines.push(line);
  return lines;
}

/** As OpenAI clients do: chunks until [DONE], with concatenated contents. */
export async function* contentsOf(response: Response): AsyncGenerator<string> {
  for await (const { field, value } of linesOf(response)) {
    if (field !== "data" || value === "[DONE]") return;
    yield JSON.parse(value).choices[0].delta.content ?? "";
  }
}

type Body = {
  value: string;
  message: string;
  details: string;
  error: { code: string };
  choices: { message: { content: string } }[];
};

export const bodyOf = async (response: Response) => (await response.json()) as Body;

export async function contentOf(response: Response): Promise<string> {
  return (await bodyOf(response)).choices[0]?.message.content ?? "";
}

/** A client of the toolkit's interactive execution: it polls the status and posts answers. */
export function interactivePeer({ url }: { url: string }, headers: Record<string, string> = {}) {
  const look = (path: string) => fetch(`${url}${path}`, { headers });
  return {
    look,
    /** Polls until the execution has this status. */
    until: (path: string, status: string): Promise<Json> =>
      vi.waitFor(async () => {
        const seen = (await (await look(path)).json()) as Json;
        if (seen.status !== status) throw new Error(`waited for ${status}: ${JSON.stringify(seen)}`);
        return seen;
      }, patience),
    answer: (path: unknown, response: Json) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ response }),
      }),
  };
}

/** Named events, and unnamed ones as `message`. */
export async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: Json }> {
  for await (const { field, value } of linesOf(response)) {
    const [event = "", line = ""] = field === "event" ? value.split("\ndata: ") : ["message", value];
    if (line.startsWith("{")) yield { event, data: JSON.parse(line) };
  }
}
