import type { Hono } from "hono";
import { timeOf } from "../decode.ts";
import { Problem } from "../errors.ts";
import { manifestAt } from "../manifests.ts";
import type { Running } from "../running.ts";
import { readJsonObject } from "./body.ts";
import type { Env } from "./env.ts";
import { urlField } from "./fields.ts";

export function mountKnownAgents(app: Hono<Env>, running: Running): void {
  app.get("/api/v1/agents", (c) => c.json({ agents: running.agents.all() }));
  app.post("/api/v1/agents", async (c) => {
    const serviceUrl = urlField(await readJsonObject(c.req.raw, running.bodyBytesMax), "serviceUrl");
    if (serviceUrl === undefined) {
      throw new Problem("bad-request", { pointer: "/serviceUrl", detail: "/serviceUrl: it is missing" });
    }
    const manifest = await manifestAt(running, { speakerUri: serviceUrl, serviceUrl });
    const health = manifest === undefined ? ("silent" as const) : ("answering" as const);
    const agent = { serviceUrl, health, askedAt: timeOf(running.clock), ...(manifest && { manifest }) };
    running.agents.note(agent);
    return c.json(agent, 201);
  });
}
