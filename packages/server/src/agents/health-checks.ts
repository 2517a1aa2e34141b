import { relayUrlOf } from "@plenary/floor";
import { speakerAt } from "../conversation/relay-address.ts";
import { type Asking, checkWho } from "../delivery/manifests.ts";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import { Problem } from "../errors.ts";
import type { Ids } from "../ports/clock.ts";
import type { Hosted } from "./hosted.ts";
import { isTelling } from "./record.ts";
import type { AgentList } from "./registry.ts";
import type { KnownAgent } from "./view.ts";

/** Asks agents who they are, and remembers what came of it. */
export type AgentChecks = {
  /** `isAdded`: it is known afterwards, also when it does not answer. */
  one(serviceUrl: string, options?: { isAdded?: boolean }): Promise<KnownAgent>;
  /** All that are known, a few at a time. Those it did not get to in time are told as they were. */
  all(): Promise<readonly KnownAgent[]>;
  /**
   * Before the list is shown: those that live here or are connected and have not been asked yet, so that nobody need add
   * them, and those that were not heard of for a while, as far as they answer at once.
   */
  lookAround(): Promise<void>;
};

type Crew = Asking & { ids: Ids; agents: AgentList; hosted: Hosted; sockets: SocketOutbound };

const atOnceMax = 8;
const allWithinMs = 60_000;
const glanceMs = 1_000;
const staleMs = 60_000;
const askedMax = 10_000;

export function createAgentChecks(crew: Crew): AgentChecks {
  const { agents, hosted, sockets, clock } = crew;
  const underWay = new Map<string, Promise<KnownAgent>>();
  const asked = new Set<string>();
  const one: AgentChecks["one"] = (serviceUrl, { isAdded = false } = {}) => {
    const name = JSON.stringify([serviceUrl, isAdded]);
    // Whoever asks meanwhile gets the same answer.
    const running = underWay.get(name) ?? check(crew, serviceUrl, isAdded).finally(() => underWay.delete(name));
    underWay.set(name, running);
    return running;
  };
  const meet = (serviceUrls: readonly string[]) => {
    const strangers = serviceUrls.filter((serviceUrl) => !asked.has(serviceUrl));
    if (asked.size > askedMax) asked.clear();
    for (const serviceUrl of strangers) asked.add(serviceUrl);
    return Promise.allSettled(strangers.map((serviceUrl) => one(serviceUrl, { isAdded: true })));
  };
  const askStale = () => {
    const isStale = ({ isHosted, askedAt }: KnownAgent) => !isHosted && clock.now() - Date.parse(askedAt) > staleMs;
    const stale = agents.all().filter(isStale);
    return Promise.allSettled(stale.slice(0, atOnceMax * 4).map(({ serviceUrl }) => one(serviceUrl)));
  };
  let meetingHosted: Promise<unknown> | undefined;
  return {
    one,
    async all() {
      // Whoever is asked last has its time to answer.
      const lastMs = clock.now() + allWithinMs - crew.limits.manifestAnswerMs;
      const waiting = agents.all().map(({ serviceUrl }) => serviceUrl);
      const next = async () => {
        for (let url = waiting.shift(); url !== undefined && clock.now() <= lastMs; url = waiting.shift())
          await one(url);
      };
      await Promise.all(Array.from({ length: atOnceMax }, next));
      return agents.all();
    },
    async lookAround() {
      meetingHosted ??= meet(hosted.serviceUrls());
      const connected = meet(sockets.connected().map((speaker) => relayUrlOf(crew.self().serviceUrl, speaker)));
      await meetingHosted;
      // They may take their time, and whoever asks for the list need not wait for it.
      await atMost(crew, glanceMs, Promise.all([connected, askStale()]));
    },
  };
}

function atMost({ clock }: Crew, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.at(clock.now() + ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}

async function check(crew: Crew, serviceUrl: string, isAdded: boolean): Promise<KnownAgent> {
  const speakerUri = speakerAt(crew.self().serviceUrl, serviceUrl) ?? serviceUrl;
  const learned = await checkWho(crew, { speakerUri, serviceUrl }, crew.ids.newId);
  if (!isTelling(learned.outcome)) throw nobody();
  return crew.agents.view(crew.agents.learn(serviceUrl, learned, { isAdded }));
}

/** What is sent to people they find in the log: their addresses do not answer. */
function nobody(): Problem {
  const detail = "/serviceUrl: this is the address of a person, not of an agent";
  return new Problem("refused", { pointer: "/serviceUrl", detail, fix: "name the serviceUrl of an agent" });
}
