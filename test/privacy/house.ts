// A floor on a file, everybody with a credential of their own, and everything anybody is told looked through.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  createFloorServer,
  createMemoryCredentials,
  createSqliteStore,
  newCredentialToken,
  type Scope,
} from "@plenary/server";
import { WebSocket } from "ws";
import { createLoopbackDialler } from "../floor/loopback-dialler.ts";
import { type Canary, nobody } from "./canary.ts";

export type Json = Record<string, unknown>;

const operatorToken = "the-operators-own-token";
const often = { perS: 1_000_000, burst: 1_000_000 };
const rateLimits = { perPrincipal: often, perAddress: often, badCredentials: often, conversations: often };
const deliveryLimits = {
  ...{ inviteRetryMs: 100, retryMs: 100, retryBaseMs: 10, retryCapMs: 20, stoppedAnswerMs: 100 },
  ...{ silenceMs: 500, inviteAnswerMs: 500, answerMs: 1_000, manifestAnswerMs: 500 },
};

export type House = Awaited<ReturnType<typeof startHouse>>;

export async function startHouse(canary: Canary) {
  const folder = mkdtempSync(join(tmpdir(), "plenary-privacy-"));
  const file = join(folder, "floor.db");
  const store = createSqliteStore(file);
  const credentials = createMemoryCredentials();
  const errors: unknown[] = [];
  const server = createFloorServer(
    { store, credentials, dialler: createLoopbackDialler() },
    { token: operatorToken, drainMs: 0, deliveryLimits, rateLimits, onError: (error) => errors.push(error) },
  );
  const { url } = await server.listen(0);
  const tokens = new Map<string, string>([["operator", operatorToken]]);
  const closers: (() => void)[] = [];
  const authorization = (who: string): Record<string, string> => {
    const token = tokens.get(who);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  };
  /** `whose` eyes the answer is for: the caller's, and nobody's for the operator who names nobody. */
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
    ...{ url, file, store, server, errors, tokens, call },
    async giveKey(speaker: string, isPerson: boolean): Promise<void> {
      const { token, ...made } = newCredentialToken("key");
      const scopes: Scope[] = isPerson ? ["host"] : [];
      const about = { kind: "key", speakers: [speaker], scopes, isPerson } as const;
      await credentials.add({ ...made, ...about, createdAt: new Date().toISOString() });
      tokens.set(speaker, token);
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

/** The two ways to look on. */
function createLooks(
  url: string,
  canary: Canary,
  authorization: (who: string) => Record<string, string>,
  closers: (() => void)[],
) {
  return {
    /** Looks on with a socket; resolves when it is open. */
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
    /** The same with an event stream. */
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
      // It is cut off when everything was seen.
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
