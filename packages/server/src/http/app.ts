import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AgentChecks } from "../agents/health-checks.ts";
import { addressKey } from "../auth/client-address.ts";
import { assertHost, assertHostAndOrigin, isForeignPage } from "../auth/origin-check.ts";
import type { Running } from "../context.ts";
import { assertOpen, isOurs, Problem, type ProblemDocument, problemDocument } from "../errors.ts";
import type { Relay } from "../relay/relay.ts";
import { readStrangersText } from "../routing/body.ts";
import { type AppPart, addressIn, createMount, hostedRoute, isHostedPath, type Mount } from "../routing/guards.ts";
import type { Env } from "../routing/hono-env.ts";
import { problemHeaders } from "../routing/problem.ts";
import type { Streams } from "../streams/streams.ts";
import { openApi } from "./contract/openapi.ts";
import { mountKnownAgents } from "./routes/agents.ts";
import { mountConversations } from "./routes/conversations.ts";
import { mountDeadLetters } from "./routes/dead-letters.ts";
import { mountDiscover } from "./routes/discover.ts";
import { mountExport } from "./routes/export.ts";
import { mountGuests } from "./routes/guests.ts";
import { mountLogin } from "./routes/login.ts";
import { mountOpenFloor } from "./routes/openfloor.ts";
import { mountPage } from "./routes/page.ts";
import { mountRelay } from "./routes/relay.ts";
import { mountSessions } from "./routes/sessions.ts";
import { mountStreams } from "./routes/streams.ts";

const exposeHeaders = [
  ...["Plenary-Seq", "Preference-Applied", "Conversation-Id", "Observability-Trace-Id", "Plenary-Ignored"],
];

const everyPage = cors({ origin: "*", allowMethods: ["POST"], exposeHeaders: ["*"], maxAge: 7_200 });

/** Agents that live here ask for no credential: a page of any origin may call them, as every program may. */
const forEveryPage: MiddlewareHandler<Env> = (c, next) => {
  if (c.req.header("Access-Control-Request-Private-Network") === "true") {
    c.res.headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return everyPage(c, next);
};

type AppOptions = { streams: Streams; relay: Relay; checks: AgentChecks; parts: readonly AppPart[] };

/** Everything this floor answers over HTTP. */
export function createApp(running: Running, { streams, relay, checks, parts }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const responseOfPart = (error: unknown, path: string) => {
    for (const part of parts) {
      const response = part.errorResponse(error, path);
      if (response !== undefined) return response;
    }
    return undefined;
  };
  app.onError((error, c) => {
    const response = responseOfPart(error, c.req.path);
    if (response !== undefined) return response;
    const problem = problemDocument(error, running.ids.random);
    if (isOurs(error)) running.onError(error);
    return problemResponse(problem);
  });
  app.notFound((c) => {
    const nothing = new Problem("not-found");
    return responseOfPart(nothing, c.req.path) ?? problemResponse(problemDocument(nothing));
  });
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    if (isHostedPath(c.req.path)) {
      assertHost(headers, running.door);
      c.set("isForeignPage", isForeignPage(headers, running.door));
    } else assertHostAndOrigin(headers, running.door);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    await next();
  });
  const forAllowed = cors({ origin: [...running.door.allowOrigins], exposeHeaders });
  app.use((c, next) => (isHostedPath(c.req.path) ? forEveryPage(c, next) : forAllowed(c, next)));
  const mount = createMount(app, running);
  mountOpen(mount, running);
  app.use(async (_c, next) => {
    assertOpen(running);
    await next();
  });
  mountHosted(mount, running);
  mountRelay(mount, relay);
  mountOpenFloor(mount, running);
  mountStreams(mount, running, streams);
  mountConversations(mount, running, streams.isHere);
  mountExport(mount, running);
  mountGuests(mount, running);
  mountSessions(mount, running);
  mountDeadLetters(mount, running);
  mountKnownAgents(mount, running, checks);
  mountDiscover(mount, running);
  for (const part of parts) part.mount(mount);
  const { oidc, credentials, url: publicUrl, clock } = running;
  if (oidc !== undefined) mountLogin(mount, { oidc, credentials, publicUrl, clock });
  return app;
}

/** What anybody may see: that the floor is there, and how to talk to it. */
function mountOpen(mount: Mount, running: Running): void {
  mount("GET /livez", (c) => c.text("ok"));
  mount("GET /readyz", async (c) => {
    if (await running.isReady()) return c.text("ok");
    throw new Problem("unavailable", { detail: "the store is not ready, or the floor is closing" });
  });
  mount("GET /version", (c) => {
    const { version, oidc } = running;
    return c.json({ name: "plenary", version, openFloor: "1.1.0", signIn: oidc !== undefined });
  });
  mount("GET /openapi.json", (c) => c.json(openApi(running.version)));
  mount("GET /metrics", async (c) => {
    const { type, text } = await running.metrics.text();
    return c.body(text, 200, { "content-type": type });
  });
  mountPage(mount, running.page);
}

/** Hosted agents are agents like any other: every caller may invite them. */
function mountHosted(mount: Mount, running: Running): void {
  mount(hostedRoute, async (c) => {
    const name = c.req.param("name") ?? "";
    const agent = running.hosted.named(name, c.get("isForeignPage") ? "page" : "program");
    if (agent === undefined) throw new Problem("not-found");
    const address = addressIn(c);
    running.doorkeeper.admitCaller(address, name);
    const caller = addressKey(address);
    const { raw, method, url } = c.req;
    // It may think for long, and call others.
    c.env?.onWait?.();
    // What is no envelope, or packed, is refused by the agent before it reads it.
    const isRead = c.get("isStranger") && method === "POST" && !raw.headers.has("content-encoding");
    if (!isRead) return agent(raw, { caller });
    const body = await readStrangersText(raw, address, running);
    return agent(new Request(url, { method, headers: raw.headers, body, signal: raw.signal }), { caller });
  });
}

function problemResponse(problem: ProblemDocument): Response {
  return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(problem) });
}
