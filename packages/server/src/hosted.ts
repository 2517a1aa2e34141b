import type { Recall } from "@plenary/floor";
import { createLocalDialler, type LocalAgent } from "./outbound/local.ts";
import type { Dialler } from "./ports.ts";

/** Ready-made agents that live in this process, each at `/agents/NAME` for this floor and any other (D37). */
export type HostedAgents = {
  names: readonly string[];
  /** `recall` only for this floor's own envelopes: others name conversations as they like, and nobody has checked who asks. */
  create: (name: string, serviceUrl: string, recall?: Recall) => { fetch: LocalAgent } | undefined;
};

export type Hosted = {
  names: readonly string[];
  /** For whoever calls from outside. What it has heard there and what it hears here never meet. */
  named: (name: string) => LocalAgent | undefined;
  serviceUrls: () => readonly string[];
  /** Reaches them without a socket. */
  dialler: Dialler;
};

const path = "/agents/";

/** Each is made when it is first wanted, because its address is known only once the floor listens. */
export function createHosted(
  agents: HostedAgents | undefined,
  { floorUrl, recall, dialler: next }: { floorUrl: () => string; recall: Recall; dialler: Dialler },
): Hosted {
  const makerWith = (memory?: Recall) => {
    const made = new Map<string, LocalAgent>();
    return (name: string): LocalAgent | undefined => {
      if (agents === undefined || !agents.names.includes(name)) return undefined;
      const known = made.get(name);
      if (known !== undefined) return known;
      const agent = agents.create(name, `${floorUrl()}${path}${name}`, memory);
      const fetch = agent && ((request: Request) => agent.fetch(request));
      if (fetch !== undefined) made.set(name, fetch);
      return fetch;
    };
  };
  const named = makerWith();
  const ownNamed = makerWith(recall);
  const at = (url: string) => {
    const base = `${floorUrl()}${path}`;
    return url.startsWith(base) ? ownNamed(url.slice(base.length)) : undefined;
  };
  const names = agents?.names ?? [];
  const serviceUrls = () => names.map((name) => `${floorUrl()}${path}${name}`);
  return { names, named, serviceUrls, dialler: createLocalDialler(at, next) };
}
