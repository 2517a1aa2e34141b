import { type Envelope, isSameAddress } from "@plenary/protocol";
import type { AgentHost } from "@plenary/sdk";
import { createLocalDialler, type LocalAgent } from "../delivery/in-process.ts";
import type { Dialler } from "../ports/dialler.ts";

type HostedAgent = { fetch: LocalAgent; manifest: { identification: { speakerUri: string } } };

/** Ready-made agents that live in this process, each at `/agents/NAME` for this floor and any other (D37). */
export type HostedAgents = {
  names: readonly string[];
  /**
   * `host` only for this floor's own envelopes: others name conversations as they like, and nobody has checked who asks.
   * `caller`: who else it answers.
   */
  create: (name: string, serviceUrl: string, host?: AgentHost, caller?: HostedCaller) => HostedAgent | undefined;
  /** What all of them may know of other agents; told before any is made. */
  lend?: (lent: LentToAll) => void;
};

export type LentToAll = Pick<AgentHost, "floorUri" | "acquaintances" | "catalogue"> & {
  /** A part of their names that no other floor's agents have; undefined where they keep the names of before. */
  mark: () => string | undefined;
};

/** Programs that call from outside, or web pages of other origins, which may be open on the operator's own machine. */
export type HostedCaller = "program" | "page";

export type Hosted = {
  names: readonly string[];
  /** For callers from outside. What it has heard there and what it hears here never meet. */
  named: (name: string, caller: HostedCaller) => LocalAgent | undefined;
  serviceUrls: () => readonly string[];
  /** Reaches them without a socket. */
  dialler: Dialler;
};

const path = "/agents/";

/** `send` speaks for whoever it is told to; which agent that is, is known once it is made. */
export type Lent = Omit<AgentHost, "send"> & { send: (envelope: Envelope, speakerUri: string) => Promise<void> };

type Marked = Pick<LentToAll, "mark">;

/** Each is made when it is first wanted, because its address is known only once the floor listens. */
export function createHosted(
  agents: HostedAgents | undefined,
  { floorUrl, lent, mark, dialler: next }: { floorUrl: () => string; lent: Lent; dialler: Dialler } & Marked,
): Hosted {
  const { floorUri, acquaintances, catalogue } = lent;
  agents?.lend?.({ floorUri, acquaintances, catalogue, mark });
  const maker = (makeOne: (name: string, serviceUrl: string) => HostedAgent | undefined) => {
    const made = new Map<string, LocalAgent>();
    return (name: string): LocalAgent | undefined => {
      if (agents === undefined || !agents.names.includes(name)) return undefined;
      const known = made.get(name);
      if (known !== undefined) return known;
      const agent = makeOne(name, `${floorUrl()}${path}${name}`);
      const fetch = agent && ((...called: Parameters<LocalAgent>) => agent.fetch(...called));
      if (fetch !== undefined) made.set(name, fetch);
      return fetch;
    };
  };
  const outside = {
    program: maker((name, serviceUrl) => agents?.create(name, serviceUrl, undefined, "program")),
    page: maker((name, serviceUrl) => agents?.create(name, serviceUrl, undefined, "page")),
  };
  const ownNamed = maker((name, serviceUrl) => {
    const agent: HostedAgent | undefined = agents?.create(name, serviceUrl, {
      ...lent,
      send: async (envelope) => lent.send(envelope, agent?.manifest.identification.speakerUri ?? ""),
    });
    return agent;
  });
  const at = (url: string) => {
    const [place = ""] = url.split(/[?#]/u);
    const name = names.find((one) => isSameAddress(place, `${floorUrl()}${path}${one}`));
    return name === undefined ? undefined : ownNamed(name);
  };
  const names = agents?.names ?? [];
  const serviceUrls = () => names.map((name) => `${floorUrl()}${path}${name}`);
  return { names, named: (name, caller) => outside[caller](name), serviceUrls, dialler: createLocalDialler(at, next) };
}
