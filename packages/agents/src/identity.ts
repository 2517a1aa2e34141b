import { tagUri } from "@plenary/protocol";
import type { AgentHost, AgentManifest } from "@plenary/sdk";

/** Lent by the floor it lives at; absent, it knows what it has heard itself since it was started, and only answers. */
export type ReadyMadeOptions = Partial<AgentHost> & {
  /** Absent: whatever serves the agent fills it in. */
  serviceUrl?: string;
  /** Default: made from the serviceUrl, so that the same agent on two servers is two speakers. */
  speakerUri?: string;
  /** What tells this agent from others of its kind elsewhere, as a part of its speakerUri. */
  unique?: string;
};

type About = {
  name: string;
  conversationalName: string;
  synopsis: string;
  capabilities: AgentManifest["capabilities"];
  openFloorRoles?: AgentManifest["identification"]["openFloorRoles"];
};

export function manifestOf(about: About, { serviceUrl, speakerUri, unique }: ReadyMadeOptions): AgentManifest {
  const { name, conversationalName, synopsis, capabilities, openFloorRoles } = about;
  return {
    identification: {
      speakerUri: speakerUri ?? speakerUriOf(name, serviceUrl, unique),
      ...(serviceUrl !== undefined && { serviceUrl }),
      organization: "Plenary",
      conversationalName,
      synopsis,
      ...(openFloorRoles !== undefined && { openFloorRoles }),
    },
    capabilities,
  };
}

// The date of a tag is one on which its author had the authority, and says nothing about today.
const date = "2025";

function speakerUriOf(name: string, serviceUrl: string | undefined, unique = ""): string {
  const specificOf = (...parts: string[]) => [unique, ...parts, name].filter((part) => part !== "").join(":");
  if (serviceUrl === undefined) return tagUri({ authority: "localhost", date, specific: specificOf() });
  const { hostname, port } = new URL(serviceUrl);
  // The authority of a tag is a name, so an IPv6 address goes behind it.
  const isName = !hostname.startsWith("[");
  const specific = specificOf(isName ? "" : hostname.slice(1, -1), port);
  return tagUri({ authority: isName ? hostname : "localhost", date, specific });
}
