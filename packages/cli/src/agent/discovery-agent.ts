import type { Discovery, DiscoveryOptions } from "@plenary/agents";
import type { AgentHost } from "@plenary/floor";
import type { Agent } from "@plenary/sdk";

type Lent = Pick<AgentHost, "floorUri" | "acquaintances" | "catalogue">;

export type HostedDiscovery = {
  /** What the floor lends to all of its agents, before the first is made. */
  lend: (lent: Lent) => void;
  /** `host` for whatever this floor itself sends. */
  make: (serviceUrl: string, host?: AgentHost) => Agent;
  /** Before the store is closed. */
  close: () => Promise<void>;
};

type Surroundings = Pick<DiscoveryOptions, "dialler" | "onError"> & {
  create: (options: DiscoveryOptions) => Discovery;
  /** Everybody who calls is at this machine: what they tell is kept with what the floor knows. */
  isLocal: boolean;
  /** The other agents of the floor, for itself or for whoever calls from outside. */
  neighbours: (agentsUrl: string, isOwn: boolean) => DiscoveryOptions["neighbours"];
};

/** One catalogue for a floor. Whoever calls a floor of others from outside is not told whom it deals with. */
export function hostedDiscovery({ create, isLocal, neighbours, ...ways }: Surroundings): HostedDiscovery {
  let lent: Lent | undefined;
  let own: Discovery | undefined;
  let outside: Discovery | undefined;
  const optionsFor = (serviceUrl: string, isOwn: boolean): DiscoveryOptions => {
    const beside = neighbours(serviceUrl.slice(0, serviceUrl.lastIndexOf("/")), isOwn);
    return { serviceUrl, ...ways, ...(beside && { neighbours: beside }) };
  };
  return {
    lend: (host) => {
      lent = host;
    },
    make(serviceUrl, host) {
      if (host === undefined && !isLocal) {
        outside ??= create({ ...optionsFor(serviceUrl, false), isForStrangers: true });
        return outside.stranger;
      }
      own ??= create({ ...optionsFor(serviceUrl, true), ...lent });
      return host === undefined ? own.stranger : own;
    },
    close: async () => void (await Promise.all([own?.close(), outside?.close()])),
  };
}
