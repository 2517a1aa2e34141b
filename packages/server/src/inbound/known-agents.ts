import { timeOf } from "../decode.ts";
import { manifestAt } from "../manifests.ts";
import type { Running } from "../running.ts";
import { readJsonObject } from "./body.ts";
import { requiredUrl } from "./fields.ts";
import type { Mount } from "./mount.ts";

export function mountKnownAgents(mount: Mount, running: Running): void {
  mount("GET /api/v1/agents", (c) => c.json({ agents: running.agents.all() }));
  mount("POST /api/v1/agents", async (c) => {
    const serviceUrl = requiredUrl(await readJsonObject(c.req.raw, running.bodyBytesMax), "serviceUrl");
    const manifest = await manifestAt(running, { speakerUri: serviceUrl, serviceUrl });
    const health = manifest === undefined ? ("silent" as const) : ("answering" as const);
    const agent = { serviceUrl, health, askedAt: timeOf(running.clock), ...(manifest && { manifest }) };
    running.agents.note(agent);
    return c.json(agent, 201);
  });
}
