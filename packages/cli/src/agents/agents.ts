import type { HostClient, KnownAgent } from "@plenary/client";
import { isFloorProblem } from "../errors.ts";
import { type FloorOptions, withFloor } from "../floor/access.ts";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { reportOf } from "./agent-report.ts";
import { tableOf } from "./agent-table.ts";

export type AgentsOptions = FloorOptions & { json: boolean };

const atOnceMax = 8;

export async function addAgents(urls: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const add = (serviceUrl: string) => floor.call("POST /api/v1/agents", { body: { serviceUrl } });
    await reportEach(urls, add, options, io);
    return 0;
  });
}

export async function listAgents(
  options: AgentsOptions & { health?: KnownAgent["health"] },
  io: Io,
): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const { health, json } = options;
    const known = await fetchAgents(floor, health);
    const lines = known.map((agent) => `${JSON.stringify(agent)}\n`).join("");
    await io.stdout.write(json ? lines : tableOf(known, coloursFor(io.stdout, io.env), health));
    return 0;
  });
}

async function fetchAgents(floor: HostClient, health?: KnownAgent["health"]): Promise<readonly KnownAgent[]> {
  const query = health === undefined ? {} : { health };
  return (await floor.call("GET /api/v1/agents", { query })).agents;
}

/** One request per agent, so that each result is printed as soon as it arrives. */
export async function checkAgents(given: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const urls = given.length > 0 ? given : (await fetchAgents(floor)).map(({ serviceUrl }) => serviceUrl);
    if (urls.length === 0 && !options.json) await io.stdout.write(tableOf([], coloursFor(io.stdout, io.env)));
    const check = async (serviceUrl: string) => {
      const { agents } = await floor.call("POST /api/v1/agents/check", { body: { serviceUrl } });
      return agents[0] as KnownAgent; // one was asked for
    };
    const checked = await reportEach(urls, check, options, io);
    return checked.every(({ health }) => health === "answering") ? 0 : 1;
  });
}

export async function removeAgents(urls: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    let exitCode: ExitCode = 0;
    for (const serviceUrl of urls) {
      const removed = await isRemoved(floor, serviceUrl);
      if (!removed) exitCode = 1;
      if (options.json) await io.stdout.write(`${JSON.stringify({ serviceUrl, removed })}\n`);
      else if (removed) await io.stdout.write(`${printable(serviceUrl)} was removed\n`);
      else
        await io.stderr.write(
          `plenary: the floor knows no agent at ${printable(serviceUrl)}: see plenary agents list\n`,
        );
    }
    return exitCode;
  });
}

async function isRemoved(floor: HostClient, serviceUrl: string): Promise<boolean> {
  try {
    await floor.call("DELETE /api/v1/agents", { query: { serviceUrl } });
    return true;
  } catch (problem) {
    if (isFloorProblem(problem) && problem.status === 404) return false;
    throw problem;
  }
}

/** Sends several requests at a time; prints the results in the order of `urls`. */
async function reportEach(
  urls: readonly string[],
  ask: (serviceUrl: string) => Promise<KnownAgent>,
  { json }: AgentsOptions,
  io: Io,
): Promise<readonly KnownAgent[]> {
  const colours = coloursFor(io.stdout, io.env);
  const results: KnownAgent[] = [];
  const asked: Promise<KnownAgent>[] = [];
  for (const at of urls.keys()) {
    for (const url of urls.slice(asked.length, at + atOnceMax)) {
      const answer = ask(url);
      // An earlier failure may end the loop before this result is awaited.
      answer.catch(() => {});
      asked.push(answer);
    }
    const agent = await asked[at];
    if (agent === undefined) break;
    const gap = results.length > 0 ? "\n" : "";
    await io.stdout.write(json ? `${JSON.stringify(agent)}\n` : `${gap}${reportOf(agent, colours)}`);
    results.push(agent);
  }
  return results;
}
