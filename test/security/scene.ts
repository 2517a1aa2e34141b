// A floor with somebody in every role, each with a credential of its own, over real HTTP.
import { once } from "node:events";
import {
  type Credential,
  createFloorServer,
  createMemoryCredentials,
  createMemoryStore,
  type Dialler,
  type FloorServerOptions,
  newCredentialToken,
  relayUrlOf,
} from "@plenary/server";
import { WebSocket } from "ws";

export const roles = [
  "operator",
  "owner",
  "convener",
  "person",
  "agent",
  "invited",
  "former",
  "outsider",
  "anonymous",
] as const;

export type Role = (typeof roles)[number];
export type Json = Record<string, unknown>;

export const operatorToken = "the-operators-own-token";
const people: readonly Role[] = ["owner", "person"];

/** By which each is known. The operator sends as the person, whom its token lets it speak for. */
export function speakerOf(role: Role): string {
  return `tag:${role === "operator" ? "person" : role}.example,2026:1`;
}

/** The invited never answers: its invite is open as long as the scene is. */
const silence: Dialler = {
  dial: ({ signal }) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(Object.assign(new Error("cut"), { code: "aborted", isSent: true, retryable: false }));
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
    }),
};

/** An issuer that cannot be reached: whoever wants to sign in gets as far as that. */
const signIn = { issuer: "https://issuer.example/", clientId: "the-floor" };

export type Scene = Awaited<ReturnType<typeof startScene>>;

type Setting = { hasConvener?: boolean; hasFloor?: boolean; options?: FloorServerOptions; policy?: "guarded" | "spec" };

export async function startScene({ hasConvener = true, hasFloor = true, options, policy }: Setting = {}) {
  const credentials = createMemoryCredentials();
  const errors: unknown[] = [];
  const server = createFloorServer(
    {
      store: createMemoryStore(),
      dialler: silence,
      credentials,
      identityDial: () => Promise.reject(new Error("away")),
    },
    { token: operatorToken, onError: (error) => errors.push(error), drainMs: 0, signIn, ...options },
  );
  const { url } = await server.listen(0);
  const tokens = new Map<Role, string>([["operator", operatorToken]]);
  for (const role of roles) {
    if (role === "operator" || role === "anonymous") continue;
    const { token, ...made } = newCredentialToken("key");
    const isPerson = people.includes(role);
    const credential: Credential = {
      ...made,
      ...{ kind: "key", speakers: [speakerOf(role)], scopes: isPerson ? ["host"] : [], isPerson },
      createdAt: new Date().toISOString(),
    };
    await credentials.add(credential);
    tokens.set(role, token);
  }

  const headersOf = (role: Role): Record<string, string> => {
    const token = tokens.get(role);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  };
  const call = async (role: Role, method: string, path: string, body?: Json | string, headers?: Json) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: { ...headersOf(role), ...(text !== undefined && { "content-type": "application/json" }), ...headers },
      ...(text !== undefined && { body: text }),
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isStream) await response.body?.cancel();
    const said = isStream ? "" : await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(said) as Json) : said };
  };
  const must = async (expected: number, ...request: Parameters<typeof call>) => {
    const answered = await call(...request);
    if (answered.status !== expected) throw new Error(`${request.slice(0, 3).join(" ")}: ${JSON.stringify(answered)}`);
    return answered;
  };
  const scene = { url, server, credentials, tokens, errors, headersOf, call, must };
  await furnish(scene, { hasConvener, hasFloor, ...(policy && { policy }) });
  return {
    ...scene,
    send: (role: Role, events: readonly Json[]) =>
      call(role, "POST", "/openfloor", envelopeOf(speakerOf(role), events)),
    upgrade: (role: Role, path: string) => upgrade(`${url.replace("http", "ws")}${path}`, headersOf(role)),
    close: () => server.close(),
  };
}

type Bare = Pick<Scene, "call" | "must" | "url">;

/** Everybody takes the place its role says, through the doors everybody uses. */
async function furnish({ must, url }: Bare, { hasConvener, hasFloor, policy }: Setting): Promise<void> {
  // The operator alone may choose another policy than the floor's.
  const owner = { identification: { speakerUri: speakerOf("owner") } };
  const by = policy === undefined ? "owner" : "operator";
  await must(201, by, "POST", "/api/v1/conversations", { id: "c", owner, ...(policy && { policy }) });
  const seat = (role: Role, kind: string) =>
    must(200, "owner", "POST", "/api/v1/conversations/c/seat", {
      identification: { speakerUri: speakerOf(role) },
      kind,
    });
  await seat("person", "person");
  await seat("agent", "agent");
  await seat("former", "agent");
  if (hasConvener) await seat("convener", "agent");
  await must(200, "owner", "POST", "/api/v1/conversations/c/remove", { speakerUri: speakerOf("former") });
  const to = { speakerUri: speakerOf("invited"), serviceUrl: "https://invited.example/" };
  await must(200, "owner", "POST", "/openfloor", envelopeOf(speakerOf("owner"), [{ eventType: "invite", to }]));
  if (!hasFloor) {
    for (const role of ["person", "agent", "invited"] as const) {
      const revoke = { eventType: "revokeFloor", to: { speakerUri: speakerOf(role) } };
      await must(200, "owner", "POST", "/openfloor", envelopeOf(speakerOf("owner"), [revoke]));
    }
    await must(200, "owner", "POST", "/openfloor", envelopeOf(speakerOf("owner"), [{ eventType: "yieldFloor" }]));
  }
  if (hasConvener) {
    // By its address: what has no manifest offers no role.
    const serviceUrl = relayUrlOf(`${url}/openfloor`, speakerOf("convener"));
    await must(200, "owner", "POST", "/api/v1/conversations/c/convener", { serviceUrl });
  }
}

export function envelopeOf(speakerUri: string, events: readonly Json[], id = "c"): Json {
  return { openFloor: { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events } };
}

let said = 0;

export function utteranceOf(speakerUri: string, text: string, to?: Json): Json {
  said += 1;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: `said-${said}`, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

/** 101 when the socket was opened, else the status of the refusal. */
async function upgrade(url: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(url, { headers });
  const refused = new Promise<number>((resolve) => {
    ws.on("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  ws.on("error", () => {});
  const status = await Promise.race([once(ws, "open").then(() => 101), refused]);
  ws.terminate();
  return status;
}
