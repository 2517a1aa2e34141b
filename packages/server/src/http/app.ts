import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AgentChecks } from "../agents/health-checks.ts";
import { addressKey } from "../auth/client-address.ts";
import { assertHost, assertHostAndOrigin, isForeignPage } from "../auth/origin-check.ts";
import type { AccessContext, AgentsContext, ReceivingContext, ServerContext } from "../context.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../errors.ts";
import type { Relay } from "../relay/relay.ts";
import { readAnonymousJson } from "../routing/body.ts";
import {
  type AppPart,
  addressIn,
  createMount,
  type Env,
  hostedRoute,
  isHostedPath,
  type Mount,
  problemHeaders,
} from "../routing/guards.ts";
import type { Streams } from "../streams/streams.ts";
import { noRoute } from "./no-route.ts";
import { mountKnownAgents } from "./routes/agents.ts";
import { mountApiDocuments } from "./routes/api-documents.ts";
import { mountConversations } from "./routes/conversations.ts";
import { mountDeadLetters } from "./routes/dead-letters.ts";
import { mountDiscover } from "./routes/discover.ts";
import { mountExport } from "./routes/export.ts";
import { mountGuests } from "./routes/guests.ts";
import { mountHealth } from "./routes/health.ts";
import { mountLogin } from "./routes/login.ts";
import { mountOpenFloor, mountRelay } from "./routes/openfloor.ts";
import { mountPage } from "./routes/page.ts";
import { mountSessions } from "./routes/sessions.ts";
import { mountStreams } from "./routes/streams.ts";
import { mountWebhooks } from "./routes/webhooks.ts";

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
  const answerError = (error: unknown, path: string): Response => {
    for (const part of parts) {
      const response = part.errorResponse(error, path);
      if (response !== undefined) return response;
    }
    const problem = problemDocument(error, server.ids.random);
    if (isOurs(error)) server.onError(error);
    return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(problem) });
  };
  app.onError((error, c) => answerError(error, c.req.path));
  app.notFound((c) => answerError(noRoute(c.req.method, c.req.path), c.req.path));
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    if (isHostedPath(c.req.path)) {
      assertHost(headers, server.originPolicy);
      c.set("isForeignPage", isForeignPage(headers, server.originPolicy));
    } else if (c.req.path === "/widget.js") assertHost(headers, server.originPolicy);
    else assertHostAndOrigin(headers, server.originPolicy);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    await next();
  });
  const allowedCors = cors({ origin: [...server.originPolicy.allowOrigins], exposeHeaders });
  app.use((c, next) => (isHostedPath(c.req.path) ? hostedCors(c, next) : allowedCors(c, next)));
  const mount = createMount(app, server);
  // These also answer while the server closes.
  mountHealth(mount, server);
  mountApiDocuments(mount, server);
  mountPage(mount, server.page);
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
  mountWebhooks(mount, server);
  mountKnownAgents(mount, server, checks);
  mountDiscover(mount, server);
  for (const part of parts) part.mount(mount);
  const { oidc, credentials, url: publicUrl, clock } = server;
  if (oidc !== undefined) mountLogin(mount, { oidc, credentials, publicUrl, clock });
  return app;
}

/** Every caller may invite hosted agents. */
function mountHosted(mount: Mount, server: ReceivingContext & AgentsContext & AccessContext): void {
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
    const { text: body } = await readAnonymousJson(raw, address, server);
    return agent(new Request(url, { method, headers: raw.headers, body, signal: raw.signal }), { caller });
  });
}
