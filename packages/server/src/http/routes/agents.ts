import type { AgentChecks } from "../../agents/health-checks.ts";
import { addressMax } from "../../agents/registry.ts";
import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { readJsonObject } from "../../routing/body.ts";
import { requiredUrl, urlField } from "../../routing/fields.ts";
import type { Mount } from "../../routing/guards.ts";

export function mountKnownAgents(mount: Mount, server: ServerContext, checks: AgentChecks): void {
  const { agents } = server;
  const bodyOf = (request: Request) => readJsonObject(request, server.bodyBytesMax);
  mount("GET /api/v1/agents", async (c) => {
    const health = healthIn(c.req.query("health"));
    await checks.refresh();
    const known = agents.all();
    return c.json({
      agents: health === undefined ? known : known.filter((agent) => agent.health === health),
      invitedByDefault: server.hosted.invitedByDefault(),
    });
  });
  mount("POST /api/v1/agents", async (c) => {
    c.env?.onWait?.();
    const serviceUrl = requiredUrl(await bodyOf(c.req.raw), "serviceUrl");
    return c.json(await checks.one(serviceUrl, { isAdded: true }), 201);
  });
  mount("POST /api/v1/agents/check", async (c) => {
    c.env?.onWait?.();
    const serviceUrl = urlField(await bodyOf(c.req.raw), "serviceUrl");
    return c.json({ agents: serviceUrl === undefined ? await checks.all() : [await checks.one(serviceUrl)] });
  });
  mount("DELETE /api/v1/agents", (c) => {
    const serviceUrl = c.req.query("serviceUrl") ?? "";
    if (serviceUrl === "" || serviceUrl.length > addressMax) {
      const detail = `serviceUrl, in the query, is an address of 1 to ${addressMax} characters`;
      throw new Problem("bad-request", { detail, fix: "name the agent: DELETE /api/v1/agents?serviceUrl=URL" });
    }
    if (agents.forget(serviceUrl)) return c.body(null, 204);
    const fix = "GET /api/v1/agents lists the agents it knows";
    throw new Problem("not-found", { detail: "this floor knows no agent at that address", fix });
  });
}

const healths = ["answering", "silent", "failing"] as const;

function healthIn(asked: string | undefined) {
  const health = healths.find((one) => one === asked);
  if (asked === undefined || health !== undefined) return health;
  throw new Problem("bad-request", { detail: `health, in the query, is one of ${healths.join(", ")}` });
}
