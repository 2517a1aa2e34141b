import { Hono } from "hono";
import { cors } from "hono/cors";
import { assertPlace, authenticate, principalAtDoor } from "../admit.ts";
import { assertOpen, isOurs, Problem, type ProblemDocument, problemDocument } from "../errors.ts";
import type { Running } from "../running.ts";
import { mountConversations } from "./conversations.ts";
import { mountDeadLetters } from "./dead-letters.ts";
import type { Env } from "./env.ts";
import { mountKnownAgents } from "./known-agents.ts";
import { mountOpenFloor } from "./open-floor.ts";
import { openApi } from "./openapi.ts";
import { problemHeaders } from "./problem.ts";
import { statusPage, statusPagePolicy } from "./status-page.ts";
import { mountRelay, mountStreams, type Streams } from "./streams.ts";

/** Everything this floor answers over HTTP. */
export function createApp(running: Running, streams: Streams): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error) => {
    const problem = problemDocument(error, running.ids.random);
    if (isOurs(error)) running.onError(error);
    return problemResponse(problem);
  });
  app.notFound(() => problemResponse(problemDocument(new Problem("not-found"))));
  app.use(async (c, next) => {
    assertPlace(c.req.raw.headers, running.door);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    await next();
  });
  app.use(cors({ origin: [...running.door.allowOrigins], exposeHeaders: ["Plenary-Seq", "Preference-Applied"] }));
  mountOpen(app, running);
  app.get("/metrics", async (c) => {
    authenticate(c.req.raw.headers, running.door);
    const { type, text } = await running.metrics.text();
    return c.body(text, 200, { "content-type": type });
  });
  app.use(async (_c, next) => {
    assertOpen(running);
    await next();
  });
  mountHosted(app, running);
  mountRelay(app, streams);
  // The star stands for nothing, too.
  for (const path of ["/openfloor/*", "/api/*"]) {
    app.use(path, async (c, next) => {
      const { headers } = c.req.raw;
      const isDoor = c.req.path === "/openfloor";
      c.set("principal", isDoor ? principalAtDoor(headers, running.door) : authenticate(headers, running.door));
      await next();
    });
  }
  mountOpenFloor(app, running);
  mountStreams(app, running, streams);
  mountConversations(app, running);
  mountDeadLetters(app, running);
  mountKnownAgents(app, running);
  return app;
}

/** What anybody may see: that the floor is there, and how to talk to it. */
function mountOpen(app: Hono<Env>, running: Running): void {
  app.get("/livez", (c) => c.text("ok"));
  app.get("/readyz", async (c) => {
    if (await running.isReady()) return c.text("ok");
    throw new Problem("unavailable", { detail: "the store is not ready, or the floor is closing" });
  });
  app.get("/version", (c) => c.json({ name: "plenary", version: running.version, openFloor: "1.1.0" }));
  app.get("/openapi.json", (c) => c.json(openApi(running.version)));
  app.get("/", async (c) => {
    c.header("Content-Security-Policy", statusPagePolicy);
    const { serviceUrl, speakerUri } = running.self();
    const conversations = await running.store.count();
    return c.html(statusPage({ serviceUrl, speakerUri, conversations, agents: running.hosted.names }));
  });
}

/** They are agents like any other: whoever reaches them may invite them. */
function mountHosted(app: Hono<Env>, running: Running): void {
  app.all("/agents/:name", (c) => {
    const agent = running.hosted.named(c.req.param("name"));
    if (agent === undefined) throw new Problem("not-found");
    return agent(c.req.raw);
  });
}

function problemResponse(problem: ProblemDocument): Response {
  return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(problem) });
}
