import { tagUri } from "@plenary/protocol";
import type { AgentHost, AgentManifest } from "@plenary/sdk";

/** The floor provides the `AgentHost` part; without it the agent only knows what it received since its start, and only answers. */
export type ReadyMadeOptions = Partial<AgentHost> & {
  /** Absent: the server of the agent fills it in. */
  serviceUrl?: string;
  /** Default: derived from the serviceUrl, so that the same agent on two servers has two speakerUris. */
  speakerUri?: string;
  /** Makes the speakerUri unique among agents of the same kind. */
  unique?: string;
};

type About = {
  name: string;
  conversationalName: string;
  synopsis: string;
  keyphrases: string[];
  descriptions: string[];
  languages?: readonly string[];
  /** The layers that the agent reads; it writes text. Default: text. */
  input?: readonly string[];
  openFloorRoles?: AgentManifest["identification"]["openFloorRoles"];
};

export function manifestOf(about: About, { serviceUrl, speakerUri, unique }: ReadyMadeOptions): AgentManifest {
  const {
    name,
    conversationalName,
    synopsis,
    openFloorRoles,
    keyphrases,
    descriptions,
    languages,
    input = ["text"],
  } = about;
  return {
    identification: {
      speakerUri: speakerUri ?? speakerUriOf(name, serviceUrl, unique),
      ...(serviceUrl !== undefined && { serviceUrl }),
      organization: "Plenary",
      conversationalName,
      synopsis,
      ...(openFloorRoles !== undefined && { openFloorRoles }),
    },
    capabilities: [
      {
        keyphrases,
        descriptions,
        ...(languages !== undefined && { languages: [...languages] }),
        supportedLayers: { input: [...input], output: ["text"] },
      },
    ],
  };
}

// RFC 4151: a date on which the authority was held; not today's date.
const date = "2025";

function speakerUriOf(name: string, serviceUrl: string | undefined, unique = ""): string {
  const specificOf = (...parts: string[]) => [unique, ...parts, name].filter((part) => part !== "").join(":");
  if (serviceUrl === undefined) return tagUri({ authority: "localhost", date, specific: specificOf() });
  const { hostname, port } = new URL(serviceUrl);
  // The authority of a tag is a host name, so an IPv6 address goes into the specific part.
  const isName = !hostname.startsWith("[");
  const specific = specificOf(isName ? "" : hostname.slice(1, -1), port);
  return tagUri({ authority: isName ? hostname : "localhost", date, specific });
}
