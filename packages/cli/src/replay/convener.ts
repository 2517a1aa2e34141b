import { parseConfiguration } from "../configuration.ts";
import { FloorProblem } from "../floor-problem.ts";
import type { Io } from "../io.ts";
import type { AskedConvener } from "./asked.ts";

/** Throws a FloorProblem that says what to do when nobody of that name or address can be asked. */
export async function openConvener(who: string | undefined, env: Io["env"]): Promise<AskedConvener> {
  if (who === undefined) return { place: "recorded", ...nobody };
  if (who === "none") return { place: "none", words: "no convener", ...nobody };
  if (/^https?:\/\//iu.test(who)) return overHttp(who, env);
  const { chairCalls } = await import("./chair.ts");
  return chairCalls(who);
}

const nobody: Pick<AskedConvener, "ask" | "assertSeated" | "close"> = {
  ask: async () => ({}),
  assertSeated: () => {},
  close: async () => {},
};

/** One that hangs is waited for as long as the floor would have; after two misses in a row the role is gone (D11). */
async function overHttp(url: string, env: Io["env"]): Promise<AskedConvener> {
  if (!URL.canParse(url)) throw new FloorProblem(`cannot ask the convener ${url}: it is not a URL`);
  const { createDialler } = await import("@plenary/sdk");
  const { createConvenerOverHttp, systemClock, systemIds } = await import("@plenary/server");
  const { allowHosts, allowCidrs } = allowedIn(env);
  const { origin } = new URL(url);
  const dialler = createDialler({ mode: "local", allowHosts, allowCidrs, exemptOrigins: [origin] });
  const { ask } = createConvenerOverHttp({ dialler, clock: systemClock, ids: systemIds });
  let hasAnswered = false;
  return {
    ...{ place: { serviceUrl: url }, words: `convener ${url}` },
    async ask(call) {
      const { detail, ...reply } = await ask(call);
      if (reply.failure !== undefined && !hasAnswered) throw unasked(url, detail ?? reply.failure);
      hasAnswered = true;
      return reply;
    },
    assertSeated({ convener }) {
      if (convener === undefined) throw declined(url);
    },
    close: () => dialler.close(),
  };
}

function unasked(url: string, why: string): FloorProblem {
  const remedy = "start it, mend its address, or take one of ours: --convener queue";
  return new FloorProblem(`the convener at ${url} cannot be asked: ${why}; ${remedy}`);
}

function declined(url: string): FloorProblem {
  const why = "it did not take the chair when it was invited";
  return new FloorProblem(`the agent at ${url} does not convene: ${why}; name another, or --convener queue`);
}

/** As the floor itself is told whom it may call; what is wrong with the rest of its settings is not asked here. */
function allowedIn(env: Io["env"]): { allowHosts: readonly string[]; allowCidrs: readonly string[] } {
  const { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS } = env;
  const parsed = parseConfiguration({ host: "127.0.0.1" }, { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS });
  return parsed.ok ? parsed.configuration : { allowHosts: [], allowCidrs: [] };
}
