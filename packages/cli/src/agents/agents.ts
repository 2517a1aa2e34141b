import type { KnownAgent } from "@plenary/server";
import { FloorProblem } from "../errors.ts";
import { type FloorAccess, type FloorOptions, reachFloor } from "../floor/access.ts";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { reportOf } from "./agent-report.ts";
import { tableOf } from "./agent-table.ts";

export type AgentsOptions = FloorOptions & { json: boolean };

const place = "/api/v1/agents";
const atOnceMax = 8;

export async function addToKnown(urls: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const add = (serviceUrl: string) => floor.json<KnownAgent>(place, { method: "POST", body: { serviceUrl } });
    await tellOfEach(urls, add, options, io);
    return 0;
  });
}

export async function listKnown(options: AgentsOptions & { health?: string }, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const { health, json } = options;
    const known = await knownTo(floor, health);
    const lines = known.map((agent) => `${JSON.stringify(agent)}\n`).join("");
    await io.stdout.write(json ? lines : tableOf(known, coloursFor(io.stdout, io.env), health));
    return 0;
  });
}

async function knownTo(floor: FloorAccess, health?: string): Promise<readonly KnownAgent[]> {
  const query = health === undefined ? "" : `?health=${health}`;
  return (await floor.json<{ agents: KnownAgent[] }>(`${place}${query}`)).agents;
}

/** One by one, so that each is told of as soon as it is known how it is. */
export async function checkKnown(given: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    const urls = given.length > 0 ? given : (await knownTo(floor)).map(({ serviceUrl }) => serviceUrl);
    if (urls.length === 0 && !options.json) await io.stdout.write(tableOf([], coloursFor(io.stdout, io.env)));
    const check = async (serviceUrl: string) => {
      const request = { method: "POST", body: { serviceUrl } } as const;
      const { agents } = await floor.json<{ agents: [KnownAgent] }>(`${place}/check`, request);
      return agents[0];
    };
    const checked = await tellOfEach(urls, check, options, io);
    return checked.every(({ health }) => health === "answering") ? 0 : 1;
  });
}

export async function removeKnown(urls: readonly string[], options: AgentsOptions, io: Io): Promise<ExitCode> {
  return withFloor(options, io, async (floor) => {
    let exitCode: ExitCode = 0;
    for (const serviceUrl of urls) {
      const removed = await isRemoved(floor, serviceUrl);
      if (!removed) exitCode = 1;
      if (options.json) await io.stdout.write(`${JSON.stringify({ serviceUrl, removed })}\n`);
      else if (removed) await io.stdout.write(`${printable(serviceUrl)} is forgotten\n`);
      else
        await io.stderr.write(
          `plenary: the floor knows no agent at ${printable(serviceUrl)}: see plenary agents list\n`,
        );
    }
    return exitCode;
  });
}

async function isRemoved(floor: FloorAccess, serviceUrl: string): Promise<boolean> {
  try {
    await floor.text(`${place}?serviceUrl=${encodeURIComponent(serviceUrl)}`, { method: "DELETE" });
    return true;
  } catch (problem) {
    if (problem instanceof FloorProblem && problem.status === 404) return false;
    throw problem;
  }
}

type Ask = (serviceUrl: string) => Promise<KnownAgent>;

/** Several are asked at once; they are told of in the order in which they were given. */
async function tellOfEach(
  urls: readonly string[],
  ask: Ask,
  { json }: AgentsOptions,
  io: Io,
): Promise<readonly KnownAgent[]> {
  const colours = coloursFor(io.stdout, io.env);
  const told: KnownAgent[] = [];
  const asked: Promise<KnownAgent>[] = [];
  for (const at of urls.keys()) {
    for (const url of urls.slice(asked.length, at + atOnceMax)) {
      const answer = ask(url);
      // Whoever comes before it may end all this.
      answer.catch(() => {});
      asked.push(answer);
    }
    const agent = await asked[at];
    if (agent === undefined) break;
    const gap = told.length > 0 ? "\n" : "";
    await io.stdout.write(json ? `${JSON.stringify(agent)}\n` : `${gap}${reportOf(agent, colours)}`);
    told.push(agent);
  }
  return told;
}

async function withFloor(
  options: FloorOptions,
  io: Io,
  work: (floor: FloorAccess) => Promise<ExitCode>,
): Promise<ExitCode> {
  const floor = await reachFloor(options, io);
  try {
    return await work(floor);
  } finally {
    await floor.close();
  }
}
