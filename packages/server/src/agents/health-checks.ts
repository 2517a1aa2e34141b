import { relayUrlOf } from "@plenary/floor";
import { checkIdentity, type OutboundContext } from "../delivery/manifests.ts";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import { Problem } from "../errors.ts";
import { atMost, type Ids } from "../ports/clock.ts";
import { speakerAt } from "../ports/speaker-uri.ts";
import type { Hosted } from "./hosted.ts";
import { isInformative, type KnownAgent } from "./record.ts";
import type { AgentRegistry } from "./registry.ts";

export type AgentChecks = ReturnType<typeof createAgentChecks>;

type CheckContext = OutboundContext & { ids: Ids; agents: AgentRegistry; hosted: Hosted; sockets: SocketOutbound };

const atOnceMax = 8;
const allWithinMs = 60_000;
const refreshMaxMs = 1_000;
const staleMs = 60_000;
const askedMax = 10_000;

/** Checks agents by a manifest request and records the result. */
export function createAgentChecks(context: CheckContext) {
  const { agents, hosted, sockets, clock } = context;
  const underWay = new Map<string, Promise<KnownAgent>>();
  const asked = new Set<string>();
  /** `isAdded`: the registry keeps it even if it does not answer. */
  const one = (serviceUrl: string, { isAdded = false } = {}): Promise<KnownAgent> => {
    const name = JSON.stringify([serviceUrl, isAdded]);
    // Concurrent checks share one request.
    const running = underWay.get(name) ?? check(context, serviceUrl, isAdded).finally(() => underWay.delete(name));
    underWay.set(name, running);
    return running;
  };
  const checkNew = (serviceUrls: readonly string[]) => {
    const unchecked = serviceUrls.filter((serviceUrl) => !asked.has(serviceUrl));
    if (asked.size > askedMax) asked.clear();
    for (const serviceUrl of unchecked) asked.add(serviceUrl);
    return Promise.allSettled(unchecked.map((serviceUrl) => one(serviceUrl, { isAdded: true })));
  };
  const checkStale = () => {
    const isStale = ({ isHosted, askedAt }: KnownAgent) => !isHosted && clock.now() - Date.parse(askedAt) > staleMs;
    const stale = agents.all().filter(isStale);
    return Promise.allSettled(stale.slice(0, atOnceMax * 4).map(({ serviceUrl }) => one(serviceUrl)));
  };
  let hostedChecked: Promise<unknown> | undefined;
  return {
    one,
    /** All known agents, a few at a time. Agents not checked in time are returned unchanged. */
    async all(): Promise<readonly KnownAgent[]> {
      // The last check still has its full timeout.
      const lastMs = clock.now() + allWithinMs - context.limits.manifestAnswerMs;
      const waiting = agents.all().map(({ serviceUrl }) => serviceUrl);
      const next = async () => {
        for (let url = waiting.shift(); url !== undefined && clock.now() <= lastMs; url = waiting.shift())
          await one(url);
      };
      await Promise.all(Array.from({ length: atOnceMax }, next));
      return agents.all();
    },
    /**
     * Before the list is shown: adds hosted and connected agents that have not been checked yet, and checks agents whose
     * last exchange is too old, for at most a second.
     */
    async refresh(): Promise<void> {
      hostedChecked ??= checkNew(hosted.serviceUrls);
      const connected = checkNew(sockets.connected().map((speaker) => relayUrlOf(context.self.serviceUrl, speaker)));
      await hostedChecked;
      // The list does not wait longer for slow agents.
      await atMost(clock, refreshMaxMs, Promise.all([connected, checkStale()]));
    },
  };
}

async function check(context: CheckContext, serviceUrl: string, isAdded: boolean): Promise<KnownAgent> {
  const speakerUri = speakerAt(context.self.serviceUrl, serviceUrl) ?? serviceUrl;
  const learned = await checkIdentity(context, { speakerUri, serviceUrl }, context.ids.newId);
  if (!isInformative(learned.outcome)) throw notAnAgent();
  return context.agents.view(context.agents.learn(serviceUrl, learned, { isAdded }));
}

/** The relay address of a person never answers: people read the log. */
function notAnAgent(): Problem {
  const detail = "/serviceUrl: this is the address of a person, not of an agent";
  return new Problem("refused", { pointer: "/serviceUrl", detail, fix: "name the serviceUrl of an agent" });
}
