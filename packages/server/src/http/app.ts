import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AgentChecks } from "../agents/health-checks.ts";
import { addressKey } from "../auth/client-address.ts";
import { assertHost, assertHostAndOrigin, isForeignPage } from "../auth/origin-check.ts";
import type { ServerContext } from "../context.ts";
import { assertOpen, isOurs, Problem, type ProblemDocument, problemDocument } from "../errors.ts";
import type { Relay } from "../relay/relay.ts";
import { readAnonymousText } from "../routing/body.ts";
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
  "Plenary-Seq",
  "Preference-Applied",
  "Conversation-Id",
  "Observability-Trace-Id",
  "Plenary-Ignored",
];

const corsForAll = cors({ origin: "*", allowMethods: ["POST"], exposeHeaders: ["*"], maxAge: 7_200 });

/** Hosted agents need no credential: pages of any origin may call them. */
const hostedCors: MiddlewareHandler<Env> = (c, next) => {
  if (c.req.header("Access-Control-Request-Private-Network") === "true") {
    c.res.headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return corsForAll(c, next);
};

type AppOptions = { streams: Streams; relay: Relay; checks: AgentChecks; parts: readonly AppPart[] };

/** All HTTP routes of this floor. */
export function createApp(server: ServerContext, { streams, relay, checks, parts }: AppOptions): Hono<Env> {
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
    const problem = problemDocument(error, server.ids.random);
    if (isOurs(error)) server.onError(error);
    return problemResponse(problem);
  });
  app.notFound((c) => {
    const problem = new Problem("not-found");
    return responseOfPart(problem, c.req.path) ?? problemResponse(problemDocument(problem));
  });
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    if (isHostedPath(c.req.path)) {
      assertHost(headers, server.originPolicy);
      c.set("isForeignPage", isForeignPage(headers, server.originPolicy));
    } else assertHostAndOrigin(headers, server.originPolicy);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    await next();
  });
  const allowedCors = cors({ origin: [...server.originPolicy.allowOrigins], exposeHeaders });
  app.use((c, next) => (isHostedPath(c.req.path) ? hostedCors(c, next) : allowedCors(c, next)));
  const mount = createMount(app, server);
  mountOpen(mount, server);
  app.use(async (_c, next) => {
    assertOpen(server);
    await next();
  });
  mountHosted(mount, server);
  mountRelay(mount, relay);
  mountOpenFloor(mount, server);
  mountStreams(mount, server, streams);
  mountConversations(mount, server, streams.isHere);
  mountExport(mount, server);
  mountGuests(mount, server);
  mountSessions(mount, server);
  mountDeadLetters(mount, server);
  mountKnownAgents(mount, server, checks);
  mountDiscover(mount, server);
  for (const part of parts) part.mount(mount);
  const { oidc, credentials, url: publicUrl, clock } = server;
  if (oidc !== undefined) mountLogin(mount, { oidc, credentials, publicUrl, clock });
  return app;
}

/** Routes that also answer while the server closes: health, version, API description, metrics and the page. */
function mountOpen(mount: Mount, server: ServerContext): void {
  mount("GET /livez", (c) => c.text("ok"));
  mount("GET /readyz", async (c) => {
    if (await server.isReady()) return c.text("ok");
    throw new Problem("unavailable", { detail: "the store is not ready, or the floor is closing" });
  });
  mount("GET /version", (c) => {
    const { version, oidc } = server;
    return c.json({ name: "plenary", version, openFloor: "1.1.0", signIn: oidc !== undefined });
  });
  mount("GET /openapi.json", (c) => c.json(openApi(server.version)));
  mount("GET /metrics", async (c) => {
    const { type, text } = await server.metrics.text();
    return c.body(text, 200, { "content-type": type });
  });
  mountPage(mount, server.page);
}

/** Every caller may invite hosted agents. */
function mountHosted(mount: Mount, server: ServerContext): void {
  mount(hostedRoute, async (c) => {
    const name = c.req.param("name") ?? "";
    const agent = server.hosted.named(name, c.get("isForeignPage") ? "page" : "program");
    if (agent === undefined) throw new Problem("not-found");
    const address = addressIn(c);
    server.access.admitCaller(address, name);
    const caller = addressKey(address);
    const { raw, method, url } = c.req;
    // An agent may take long and call other services.
    c.env?.onWait?.();
    // The agent itself refuses other methods and compressed bodies before it reads them.
    const isRead = c.get("isAnonymous") && method === "POST" && !raw.headers.has("content-encoding");
    if (!isRead) return agent(raw, { caller });
    const body = await readAnonymousText(raw, address, server);
    return agent(new Request(url, { method, headers: raw.headers, body, signal: raw.signal }), { caller });
  });
}

function problemResponse(problem: ProblemDocument): Response {
  return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(problem) });
}
