import type { Context } from "hono";
import type { AgentChecks } from "../agents/health-checks.ts";
import type { KnownAgent } from "../agents/record.ts";
import type { AgentsContext, FloorContext, ProcessContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { mayHost } from "../ports/principal.ts";
import type { Env, Mount } from "../routing/guards.ts";
import type { CallerOf } from "./client-identity.ts";
import type { NemoPerson } from "./participant.ts";

type ModelsContext = Pick<ProcessContext & FloorContext & AgentsContext, "agents" | "clock" | "hosted" | "url"> & {
  personIn: CallerOf;
  checks: AgentChecks;
};

/** The model that stands for the welcome agents. Also in answers to requests without a model. */
export const floorModel = "plenary";

/** The agents of this floor: as the values for `model`, which OpenAI clients read first, and as tools. */
export function mountModels(mount: Mount, { agents, clock, hosted, url, personIn, checks }: ModelsContext): void {
  const created = Math.floor(clock.now() / 1_000);
  const modelOf = (id: string, name: string, owner: string) => {
    return { id, object: "model", created, owned_by: owner, name };
  };
  const hostedName = (serviceUrl: string) => hosted.names.find((name) => serviceUrl === `${url}/agents/${name}`);
  const agentModel = ({ serviceUrl, manifest }: KnownAgent) => {
    const { conversationalName = "", organization = "" } = manifest?.identification ?? {};
    const id = hostedName(serviceUrl) ?? serviceUrl;
    return modelOf(id, conversationalName || id, organization || floorModel);
  };
  /** A caller that may not create conversations invites no agents. */
  const agentsFor = async ({ principal }: NemoPerson) => {
    if (!mayHost(principal)) return [];
    await checks.refresh();
    return agents.all().filter((agent) => !isConvener(agent));
  };
  const modelsFor = async (c: Context<Env>) => {
    const known = await agentsFor((await personIn(c)).person);
    const answering = known.filter(({ health }) => health === "answering");
    return [modelOf(floorModel, "Plenary", floorModel), ...answering.map(agentModel)];
  };
  mount("GET /v1/models", async (c) => c.json({ object: "list", data: await modelsFor(c) }));
  mount("GET /v1/models/:model", async (c) => {
    const model = (await modelsFor(c)).find(({ id }) => id === c.req.param("model"));
    if (model !== undefined) return c.json(model);
    const detail = "no agent that answers here is called that";
    throw new Problem("not-found", { detail, fix: "GET /v1/models lists them; any other is named by its serviceUrl" });
  });
  // For the stock client's panel of tools.
  mount("GET /mcp/client/tool/list", async (c) => {
    const { person } = await personIn(c);
    const tools = (await agentsFor(person)).map(toolOf);
    const floor = {
      function_group: floorModel,
      server: url,
      transport: "open-floor",
      session_healthy: true,
      protected: person.isUnproven !== true,
      tools,
      total_tools: tools.length,
      available_tools: tools.filter(({ available }) => available).length,
    };
    return c.json({ mcp_clients: [floor] });
  });
}

function toolOf({ serviceUrl, manifest, health }: KnownAgent) {
  const { conversationalName = "", synopsis = "" } = manifest?.identification ?? {};
  return {
    name: conversationalName || serviceUrl,
    description: synopsis,
    server: serviceUrl,
    available: health === "answering",
  };
}

/** A convener does not answer questions. */
function isConvener({ manifest }: KnownAgent): boolean {
  return manifest?.identification.openFloorRoles?.convener === true;
}
