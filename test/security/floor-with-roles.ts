// A test floor with a speaker in every role, each with its own credential.
import { once } from "node:events";
import { createMemoryCredentials, type Dialler, type FloorServerOptions, relayUrlOf } from "@plenary/server";
import { WebSocket } from "ws";
import { envelopeOf, type Json } from "../support/envelopes.ts";
import { addKey, startTestFloor } from "../support/start-test-floor.ts";

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

const people: readonly Role[] = ["owner", "person"];

/** The operator sends as the person: its token may speak for any speaker. */
export function speakerOf(role: Role): string {
  return `tag:${role === "operator" ? "person" : role}.example,2026:1`;
}

/** No agent answers: the invite of `invited` stays open. */
const silence: Dialler = {
  dial: ({ signal }) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(Object.assign(new Error("cut"), { code: "aborted", isSent: true, retryable: false }));
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
    }),
};

/** An issuer that cannot be reached: each sign-in fails there. */
const signIn = { issuer: "https://issuer.example/", clientId: "the-floor" };

export type FloorWithRoles = Awaited<ReturnType<typeof startFloorWithRoles>>;

type Roles = { hasConvener?: boolean; hasFloor?: boolean; policy?: "guarded" | "spec" };
type Setting = Roles & { options?: FloorServerOptions };

/** Contains the conversation `c`. */
export async function startFloorWithRoles({ options, ...given }: Setting = {}) {
  const credentials = createMemoryCredentials();
  const identityDial = () => Promise.reject(new Error("away"));
  const floor = await startTestFloor({
    retries: "default",
    dialler: silence,
    credentials,
    identityDial,
    signIn,
    ...options,
  });
  const { url, server, errors } = floor;
  const tokens = new Map<Role, string>([["operator", floor.token]]);
  for (const role of roles) {
    if (role === "operator" || role === "anonymous") continue;
    tokens.set(role, await addKey(credentials, speakerOf(role), { isPerson: people.includes(role) }));
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
  /** Another conversation on this floor, with the same speakers in their roles. */
  const openConversation = (id: string, setting: Roles = {}): Promise<void> =>
    giveRoles({ call, must, url }, id, setting);
  await openConversation("c", given);
  return {
    url,
    server,
    credentials,
    tokens,
    errors,
    headersOf,
    call,
    must,
    openConversation,
    send: (role: Role, events: readonly Json[], id = "c") =>
      call(role, "POST", "/openfloor", envelopeOf(id, speakerOf(role), events)),
    upgrade: (role: Role, path: string) => upgrade(`${url.replace("http", "ws")}${path}`, headersOf(role)),
    close: () => server.close(),
  };
}

type Bare = Pick<FloorWithRoles, "call" | "must" | "url">;

/** Seats and invites each speaker by its role, over the public interfaces. */
async function giveRoles({ must, url }: Bare, id: string, setting: Roles): Promise<void> {
  const { hasConvener = true, hasFloor = true, policy } = setting;
  const root = `/api/v1/conversations/${id}`;
  const send = (event: Json) => must(200, "owner", "POST", "/openfloor", envelopeOf(id, speakerOf("owner"), [event]));
  // Only the operator may choose another policy than the floor's.
  const owner = { identification: { speakerUri: speakerOf("owner") } };
  const by = policy === undefined ? "owner" : "operator";
  await must(201, by, "POST", "/api/v1/conversations", { id, owner, ...(policy && { policy }) });
  const seat = (role: Role, kind: string) =>
    must(200, "owner", "POST", `${root}/seat`, {
      identification: { speakerUri: speakerOf(role) },
      kind,
    });
  await seat("person", "person");
  await seat("agent", "agent");
  await seat("former", "agent");
  if (hasConvener) await seat("convener", "agent");
  await must(200, "owner", "POST", `${root}/remove`, { speakerUri: speakerOf("former") });
  const to = { speakerUri: speakerOf("invited"), serviceUrl: "https://invited.example/" };
  await send({ eventType: "invite", to });
  if (!hasFloor) {
    for (const role of ["person", "agent", "invited"] as const) {
      await send({ eventType: "revokeFloor", to: { speakerUri: speakerOf(role) } });
    }
    await send({ eventType: "yieldFloor" });
  }
  if (hasConvener) {
    // By its address: an agent without a manifest offers no role.
    const serviceUrl = relayUrlOf(`${url}/openfloor`, speakerOf("convener"));
    await must(200, "owner", "POST", `${root}/convener`, { serviceUrl });
  }
}

/** 101 when the socket opens, else the status of the refusal. */
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
