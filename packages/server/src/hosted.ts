import { createLocalDialler, type LocalAgent } from "./outbound/local.ts";
import type { Dialler } from "./ports.ts";

/** Ready-made agents that live in this process, each at `/agents/NAME` for this floor and any other (D37). */
export type HostedAgents = {
  names: readonly string[];
  create: (name: string, serviceUrl: string) => { fetch: LocalAgent } | undefined;
};

export type Hosted = {
  names: readonly string[];
  named: (name: string) => LocalAgent | undefined;
  serviceUrls: () => readonly string[];
  /** Reaches them without a socket. */
  dialler: Dialler;
};

const path = "/agents/";

/** Each is made when it is first wanted, because its address is known only once the floor listens. */
export function createHosted(agents: HostedAgents | undefined, floorUrl: () => string, next: Dialler): Hosted {
  const made = new Map<string, LocalAgent>();
  const named = (name: string): LocalAgent | undefined => {
    if (agents === undefined || !agents.names.includes(name)) return undefined;
    const known = made.get(name);
    if (known !== undefined) return known;
    const agent = agents.create(name, `${floorUrl()}${path}${name}`);
    const fetch = agent && ((request: Request) => agent.fetch(request));
    if (fetch !== undefined) made.set(name, fetch);
    return fetch;
  };
  const at = (url: string) => {
    const base = `${floorUrl()}${path}`;
    return url.startsWith(base) ? named(url.slice(base.length)) : undefined;
  };
  const names = agents?.names ?? [];
  const serviceUrls = () => names.map((name) => `${floorUrl()}${path}${name}`);
  return { names, named, serviceUrls, dialler: createLocalDialler(at, next) };
}
