import type { AgentChecks } from "../../agents/health-checks.ts";
import type { AgentsContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { normalUrl } from "../../routing/fields.ts";
import type { Mount } from "../../routing/guards.ts";

export function mountKnownAgents(mount: Mount, server: AgentsContext, checks: AgentChecks): void {
  const { agents } = server;
  mount("GET /api/v1/agents", async (_c, { query: { health }, answer }) => {
    await checks.refresh();
    const known = agents.all();
    return answer({
      agents: health === undefined ? known : known.filter((agent) => agent.health === health),
      invitedByDefault: server.hosted.invitedByDefault,
    });
  });
  mount("POST /api/v1/agents", async (c, { body, answer }) => {
    c.env?.onWait?.();
    const { serviceUrl } = await body();
    return answer(await checks.one(normalUrl(serviceUrl), { isAdded: true }), 201);
  });
  mount("POST /api/v1/agents/check", async (c, { body, answer }) => {
    c.env?.onWait?.();
    const { serviceUrl } = await body();
    return answer({
      agents: serviceUrl === undefined ? await checks.all() : [await checks.one(normalUrl(serviceUrl))],
    });
  });
  mount("DELETE /api/v1/agents", (c, { query: { serviceUrl } }) => {
    if (agents.forget(serviceUrl)) return c.body(null, 204);
    const fix = "GET /api/v1/agents lists the agents it knows";
    throw new Problem("not-found", { detail: "this floor knows no agent at that address", fix });
  });
}
