import type { Discovery, DiscoveryOptions } from "@plenary/agents";
import type { Agent, AgentHost } from "@plenary/sdk";
import type { HostedCaller, LentToAll } from "@plenary/server";

export type HostedDiscovery = {
  /** What the floor lends to all of its agents, before the first is made. */
  lend: (lent: LentToAll) => void;
  /** `host` for whatever this floor itself sends. */
  make: (serviceUrl: string, host?: AgentHost, caller?: HostedCaller) => Agent;
  /** Before the store is closed. */
  close: () => Promise<void>;
};

type Surroundings = Pick<DiscoveryOptions, "dialler" | "onError"> & {
  create: (options: DiscoveryOptions) => Discovery;
  /** Every program that calls is at this machine: what it tells is kept with what the floor knows. */
  isLocal: boolean;
  /** The other agents of the floor, for itself or for whoever calls from outside. */
  neighbours: (agentsUrl: string, isOwn: boolean) => DiscoveryOptions["neighbours"];
};

/**
 * One catalogue for a floor. A caller from outside does not learn which agents a public floor has met. A web page of another
 * origin does not learn it at any floor, and nothing is dialled for it: it may be open on the machine of the operator.
 */
export function hostedDiscovery({ create, isLocal, neighbours, dialler, onError }: Surroundings): HostedDiscovery {
  let lent: LentToAll | undefined;
  let own: Discovery | undefined;
  const outside = new Map<HostedCaller, Discovery>();
  const ways = { ...(dialler && { dialler }), ...(onError && { onError }) };
  const optionsFor = (serviceUrl: string, isOwn: boolean): DiscoveryOptions => {
    const beside = neighbours(serviceUrl.slice(0, serviceUrl.lastIndexOf("/")), isOwn);
    const unique = lent?.mark();
    return { serviceUrl, ...(unique && { unique }), ...(beside && { neighbours: beside }) };
  };
  const forStrangers = (serviceUrl: string, caller: HostedCaller): Agent => {
    const known = outside.get(caller);
    if (known !== undefined) return known.stranger;
    const options = { ...optionsFor(serviceUrl, false), isForStrangers: true };
    const made = create(caller === "page" ? options : { ...options, ...ways });
    outside.set(caller, made);
    return made.stranger;
  };
  return {
    lend: (host) => {
      lent = host;
    },
    make(serviceUrl, host, caller = "program") {
      if (host === undefined && (!isLocal || caller === "page")) return forStrangers(serviceUrl, caller);
      own ??= create({ ...optionsFor(serviceUrl, true), ...ways, ...lent });
      return host === undefined ? own.stranger : own;
    },
    close: async () => void (await Promise.all([own, ...outside.values()].map((one) => one?.close()))),
  };
}
