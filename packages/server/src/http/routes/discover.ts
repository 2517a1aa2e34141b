import { createBuckets } from "../../auth/rate-limiter.ts";
import type { AgentsContext, FloorContext, ProcessContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { DiscoveryAnswer } from "../../ports/discovery.ts";
import { isOperator, type Principal } from "../../ports/principal.ts";
import type { Mount } from "../../routing/guards.ts";

/** Low, because one search may cause many outbound requests. */
const rate = { perS: 1, burst: 20 };
const remembered = 10_000;
/** Concurrent searches of all callers. */
const searchesMax = 16;
const knownAskedMax = 4;

/** Searching for agents needs scope `host`, like inviting them by address. */
export function mountDiscover(mount: Mount, server: ProcessContext & FloorContext & AgentsContext): void {
  const searches = createBuckets(rate, remembered, server.clock);
  let running = 0;
  mount("POST /api/v1/discover", async (c, { body, answer }) => {
    c.env?.onWait?.();
    const { limit = 10, text, ...need } = await body();
    const { discovery } = server;
    const ask = discoveryAgentsOf(server);
    if (discovery === undefined || ask.length === 0) {
      const fix = "add one with POST /api/v1/agents, or start the floor without --no-demo";
      throw new Problem("not-found", { detail: "this floor knows no discovery agent", fix });
    }
    takeOne(searches.take, c.get("principal"));
    if (running >= searchesMax) throw new Problem("busy", { detail: "too many searches are running" });
    running += 1;
    try {
      const { signal } = c.req.raw;
      const means = { ask, dialler: server.hosted.dialler, sender: server.self, signal };
      return answer(answerOf(await discovery.discover({ ...need, text: text.trim() }, means), limit));
    } finally {
      running -= 1;
    }
  });
}

function answerOf({ found, asked, unasked }: DiscoveryAnswer, limit: number) {
  const shown = found.slice(0, limit).map(({ kind, manifest: { score, ...manifest }, reasons }) => ({
    kind,
    manifest,
    ...(score !== undefined && { score }),
    ...(reasons && { reasons }),
  }));
  return { found: shown, asked, unasked };
}

/** The hosted discovery agent, which knows the others; without it, known discovery agents. */
function discoveryAgentsOf({ hosted, agents }: AgentsContext): string[] {
  const own = hosted.serviceUrls.filter((serviceUrl) => serviceUrl.endsWith("/agents/discovery"));
  if (own.length > 0) return own;
  const known = agents.all().filter(({ manifest }) => manifest?.identification.openFloorRoles?.discovery === true);
  return known.slice(0, knownAskedMax).map(({ serviceUrl }) => serviceUrl);
}

function takeOne(take: (key: string) => number, principal: Principal): void {
  const waitS = isOperator(principal) ? 0 : take(principal.id);
  if (waitS === 0) return;
  throw new Problem("too-often", {
    detail: "this credential searches for agents too often",
    retryAfterS: Math.max(1, waitS),
  });
}
