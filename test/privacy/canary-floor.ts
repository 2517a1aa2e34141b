// A floor with a store in a file, keys for all speakers, and a canary check on every response.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createMemoryCredentials, createSqliteStore } from "@plenary/server";
import { WebSocket } from "ws";
import type { Json } from "../support/envelopes.ts";
import { addKey, startTestFloor } from "../support/start-test-floor.ts";
import { type Canary, nobody } from "./canary.ts";

const often = { perS: 1_000_000, burst: 1_000_000 };
const rateLimits = { perPrincipal: often, perAddress: often, badCredentials: often, conversations: often };
const deliveryLimits = {
  inviteRetryMs: 100,
  retryMs: 100,
  retryBaseMs: 10,
  retryCapMs: 20,
  stoppedAnswerMs: 100,
  silenceMs: 500,
  inviteAnswerMs: 500,
  answerMs: 1_000,
  manifestAnswerMs: 500,
};

export type CanaryFloor = Awaited<ReturnType<typeof startCanaryFloor>>;

export async function startCanaryFloor(canary: Canary) {
  const folder = mkdtempSync(join(tmpdir(), "plenary-privacy-"));
  const file = join(folder, "floor.db");
  const store = createSqliteStore(file);
  const credentials = createMemoryCredentials();
  const floor = await startTestFloor({ store, credentials, deliveryLimits, rateLimits });
  const { url, server, errors, logged } = floor;
  const tokens = new Map<string, string>([["operator", floor.token]]);
  const closers: (() => void)[] = [];
  const authorization = (who: string): Record<string, string> => {
    const token = tokens.get(who);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  };
  /** `whose` whispers the response may show: those of the caller; none when the operator names no speaker. */
  const call = async (
    who: string,
    method: string,
    path: string,
    { body, headers, whose = who === "operator" ? nobody : who, where = "answers" }: Call = {},
  ) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...authorization(who), ...(text !== undefined && { "content-type": "application/json" }), ...headers },
      ...(text !== undefined && { body: text }),
    });
    const said = await response.text();
    canary.look(whose, response.ok ? where : "error bodies", `${inspect([...response.headers])} ${said}`);
    const isJson = /^application\/(?:problem\+)?json\b/u.test(response.headers.get("content-type") ?? "");
    return { status: response.status, text: said, json: (isJson ? JSON.parse(said) : {}) as Json };
  };
  const looks = createLooks(url, canary, authorization, closers);
  return {
    url,
    file,
    store,
    server,
    errors,
    logged,
    tokens,
    call,
    async giveKey(speaker: string, isPerson: boolean): Promise<void> {
      tokens.set(speaker, await addKey(credentials, speaker, { isPerson }));
    },
    ...looks,
    async close(): Promise<void> {
      for (const close of closers) close();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Call = { body?: Json | string; headers?: Record<string, string>; whose?: string; where?: string };

/** Streams of a viewer. */
function createLooks(
  url: string,
  canary: Canary,
  authorization: (who: string) => Record<string, string>,
  closers: (() => void)[],
) {
  return {
    /** A socket; resolves when it is open. */
    async watch(speaker: string, conversation?: string): Promise<{ raw: string[]; close: () => void }> {
      const query = new URLSearchParams({ speaker, ...(conversation !== undefined && { conversation }) });
      const ws = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?${query}`, {
        headers: authorization(speaker),
      });
      const raw: string[] = [];
      ws.on("message", (frame) => {
        raw.push(String(frame));
        canary.look(speaker, String(frame).startsWith('{"draft"') ? "drafts" : "sockets", String(frame));
      });
      await new Promise<void>((resolve, reject) => {
        ws.once("open", resolve);
        ws.once("error", reject);
      });
      ws.on("error", () => {});
      closers.push(() => ws.terminate());
      return { raw, close: () => ws.terminate() };
    },
    /** An event stream. */
    async listen(speaker: string, conversation?: string): Promise<{ text: () => string; close: () => void }> {
      const query = new URLSearchParams({ speaker, ...(conversation !== undefined && { conversation, after: "0" }) });
      const controller = new AbortController();
      const response = await fetch(`${url}/openfloor/events?${query}`, {
        headers: authorization(speaker),
        signal: controller.signal,
      });
      let text = "";
      const read = async () => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
      };
      // The test aborts it.
      read().catch(() => {});
      const close = () => {
        controller.abort();
        canary.look(speaker, "event streams", text);
      };
      closers.push(() => controller.abort());
      return { text: () => text, close };
    },
  };
}
