import type { AgentChecks } from "../agents/health-checks.ts";
import type { KnownAgent } from "../agents/record.ts";
import type { ServerContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { mayHost } from "../ports/principal.ts";
import type { Mount } from "../routing/guards.ts";
import type { CallerOf } from "./client-identity.ts";

type ModelsContext = Pick<ServerContext, "agents" | "clock" | "hosted" | "url"> & {
  personIn: CallerOf;
  checks: AgentChecks;
};

/** The model that stands for the welcome agents. Also in answers to requests without a model. */
export const floorModel = "plenary";

/** The list that OpenAI clients read first: the values for `model`. */
export function mountModels(mount: Mount, { agents, clock, hosted, url, personIn, checks }: ModelsContext): void {
  const created = Math.floor(clock.now() / 1_000);
  const modelOf = (id: string, name: string, owner: string) => {
    return { id, object: "model", created, owned_by: owner, name };
  };
  const hostedName = (serviceUrl: string) => hosted.names.find((name) => serviceUrl === `${url()}/agents/${name}`);
  const agentModel = ({ serviceUrl, manifest }: KnownAgent) => {
    const { conversationalName = "", organization = "" } = manifest?.identification ?? {};
    const id = hostedName(serviceUrl) ?? serviceUrl;
    return modelOf(id, conversationalName || id, organization || floorModel);
  };
  const modelsFor = async (isHost: boolean) => {
    // A caller that may not create conversations invites no agents.
    if (isHost) await checks.refresh();
    const known = isHost ? agents.all().filter((agent) => agent.health === "answering" && !isConvener(agent)) : [];
    return [modelOf(floorModel, "Plenary", floorModel), ...known.map(agentModel)];
  };
  mount("GET /v1/models", async (c) => {
    const { person } = await personIn(c);
    return c.json({ object: "list", data: await modelsFor(mayHost(person.principal)) });
  });
  mount("GET /v1/models/:model", async (c) => {
    const { person } = await personIn(c);
    const models = await modelsFor(mayHost(person.principal));
    const model = models.find(({ id }) => id === c.req.param("model"));
    if (model !== undefined) return c.json(model);
    const detail = "no agent that answers here is called that";
    throw new Problem("not-found", { detail, fix: "GET /v1/models lists them; any other is named by its serviceUrl" });
  });
}

/** For the stock client's panel of tools: lists the agents of this floor as tools. */
export function mountToolList(mount: Mount, { agents, url, personIn, checks }: ModelsContext): void {
  mount("GET /mcp/client/tool/list", async (c) => {
    const { person } = await personIn(c);
    const isHost = mayHost(person.principal);
    if (isHost) await checks.refresh();
    const server = url();
    const known = isHost ? agents.all().filter((agent) => !isConvener(agent)) : [];
    const tools = known.map(({ serviceUrl, manifest, health }) => {
      const { conversationalName = "", synopsis = "" } = manifest?.identification ?? {};
      return {
        name: conversationalName || serviceUrl,
        description: synopsis,
        server: serviceUrl,
        available: health === "answering",
      };
    });
    const floor = {
      function_group: floorModel,
      server,
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

/** A convener does not answer questions. */
function isConvener({ manifest }: KnownAgent): boolean {
  return manifest?.identification.openFloorRoles?.convener === true;
}
