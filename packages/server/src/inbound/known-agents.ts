import type { KnownAgent } from "../agents.ts";
import { timeOf } from "../decode.ts";
import { manifestAt } from "../manifests.ts";
import type { Running } from "../running.ts";
import { readJsonObject } from "./body.ts";
import { requiredUrl } from "./fields.ts";
import type { Mount } from "./mount.ts";

export function mountKnownAgents(mount: Mount, running: Running): void {
  const { agents, hosted } = running;
  // When somebody first asks: their addresses are known only once the floor listens.
  let meeting: Promise<unknown> | undefined;
  const meetHosted = async () => {
    const met = await Promise.all(hosted.serviceUrls().map((serviceUrl) => meet(running, serviceUrl)));
    for (const agent of met) agents.note({ ...agent, isHosted: true });
  };
  mount("GET /api/v1/agents", async (c) => {
    meeting ??= meetHosted().catch((error) => {
      meeting = undefined;
      throw error;
    });
    await meeting;
    return c.json({ agents: agents.all() });
  });
  mount("POST /api/v1/agents", async (c) => {
    const serviceUrl = requiredUrl(await readJsonObject(c.req.raw, running.bodyBytesMax), "serviceUrl");
    const agent = await meet(running, serviceUrl);
    agents.note(agent);
    return c.json(agent, 201);
  });
}

/** Asks it who it is. */
async function meet(running: Running, serviceUrl: string): Promise<KnownAgent> {
  const manifest = await manifestAt(running, { speakerUri: serviceUrl, serviceUrl });
  const health = manifest === undefined ? "silent" : "answering";
  return { serviceUrl, health, askedAt: timeOf(running.clock), ...(manifest && { manifest }) };
}
