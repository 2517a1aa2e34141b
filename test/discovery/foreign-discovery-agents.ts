// Discovery agents as others write them: they know nothing of this project and its features.
import { answer, type Behaviour, eventsIn, type Heard, startAgent, textsIn } from "../support/http-agent.ts";

type Named = {
  speakerUri: string;
  serviceUrl: string;
  conversationalName: string;
  organization: string;
  synopsis: string;
};
export type Manifest = {
  identification: Named & { openFloorRoles?: Record<string, boolean> };
  capabilities: { keyphrases: string[]; descriptions: string[] }[];
};

type Roles = Record<string, boolean>;

export function manifestOf(name: string, serviceUrl: string, keyphrases: string[], roles?: Roles): Manifest {
  return {
    identification: {
      speakerUri: `tag:strangers.example,2026:${name}`,
      serviceUrl,
      conversationalName: name,
      organization: "Strangers",
      synopsis: `${name} is a stranger.`,
      ...(roles && { openFloorRoles: roles }),
    },
    capabilities: [{ keyphrases, descriptions: [] }],
  };
}

type Lists = { servicingManifests: object[]; discoveryManifests: object[] };

export type Stranger = Awaited<ReturnType<typeof startStranger>>;

/** Publishes its own manifest, and the recommendations of the test. */
export async function startStranger(
  name: string,
  recommends: (task: string, me: Manifest) => Partial<Lists> | Promise<Partial<Lists>>,
) {
  const behaviour: Behaviour = async (heard, { url, speakerUri }) => {
    const me = manifestOf(name, url, ["discovery"], { discovery: true });
    const question = eventsIn(heard).find(({ eventType }) => eventType === "getManifests");
    if (question === undefined) return answer(heard, { url, speakerUri });
    const isExternal = question.parameters?.recommendScope === "external";
    const lists = isExternal ? await recommends(textsIn(heard).join(" "), me) : { servicingManifests: [me] };
    const parameters = { servicingManifests: [], discoveryManifests: [], ...lists };
    return answer(heard, { url, speakerUri }, { eventType: "publishManifests", parameters });
  };
  const agent = await startAgent(behaviour, `tag:strangers.example,2026:${name}`);
  const me = manifestOf(name, agent.url, ["discovery"], { discovery: true });
  /** The tasks it was asked about. */
  const tasks = () => agent.heard.filter(isSearch).map((heard) => textsIn(heard).join(" "));
  return { ...agent, me, tasks };
}

function isSearch(heard: Heard): boolean {
  return eventsIn(heard).some(({ parameters }) => parameters?.recommendScope === "external");
}
