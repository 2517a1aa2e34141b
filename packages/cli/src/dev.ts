import { once } from "node:events";
import { basename } from "node:path";
import type { Manifest } from "@plenary/protocol";
import { type Entry, entryAt, portFor } from "./dev-entry.ts";
import { type Guest, guestOf } from "./dev-guest.ts";
import { manifestWhenReady } from "./dev-manifest.ts";
import { type AgentProcess, startAgent } from "./dev-process.ts";
import { standIn } from "./dev-stand-in.ts";
import { createTelling, type Telling } from "./dev-telling.ts";
import { createFileWatch, type FileWatch } from "./dev-watch.ts";
import { type FloorAccess, type FloorOptions, reachFloor } from "./floor-access.ts";
import { FloorProblem } from "./floor-problem.ts";
import type { ExitCode, Io } from "./io.ts";
import { untilStopped } from "./until-stopped.ts";

export type DevOptions = FloorOptions & { conversation?: string; port: number; json: boolean };

type Stage = {
  entry: Entry;
  port: number;
  serviceUrl: string;
  floor: FloorAccess;
  conversation?: string;
  watch: FileWatch;
  telling: Telling;
  stopped: Promise<"stopped">;
  io: Io;
  /** Once it has been there. */
  guest?: Guest;
};

/** Brings an agent to a floor, starts it again whenever it is changed, and takes it away in the end. */
export async function dev(place: string, options: DevOptions, io: Io): Promise<ExitCode> {
  const entry = entryAt(place, io.cwd);
  const floor = await reachFloor(options, io);
  const watch = createFileWatch();
  try {
    assertNear(floor.url);
    // Nothing is started for a floor that does not let us in.
    await floor.text("/api/v1/me");
    const port = options.port === 0 ? await portFor(entry) : options.port;
    watch.add(entry.file);
    const { conversation, json } = options;
    await keepThere({
      ...{ entry, port, serviceUrl: `http://127.0.0.1:${port}`, floor, watch, io },
      ...(conversation !== undefined && { conversation }),
      telling: createTelling(io, { json, label: basename(entry.folder) }),
      stopped: untilToldToStop(),
    });
    return 0;
  } finally {
    watch.close();
    await floor.close();
  }
}

const nearHosts = ["localhost", "127.0.0.1", "[::1]"];

/** A floor elsewhere cannot call an agent on this machine. */
function assertNear(url: string): void {
  if (nearHosts.includes(new URL(url).hostname)) return;
  const why = "it is on another machine, which cannot call an agent on this one";
  throw FloorProblem.badAddress(
    url,
    `${why}: run plenary serve here, or let the agent call it with connect() of the SDK`,
  );
}

/** A terminal that is closed is a farewell, too. */
async function untilToldToStop(): Promise<"stopped"> {
  await Promise.race([untilStopped(), once(process, "SIGHUP")]);
  return "stopped";
}

/** A model may be in the middle of an answer. */
const drainMs = 10_000;
/** Who was taken away has nothing more to say. */
const farewellMs = 2_000;

async function keepThere(stage: Stage): Promise<void> {
  const { entry, port, io, telling, watch } = stage;
  for (let isOver = false; !isOver; ) {
    const run = startAgent(entry, port, io, {
      onLine: telling.line,
      onFile: (file) => isOwn(file) && watch.add(file),
    });
    try {
      isOver = (await untilItMustEnd(run, stage)) === "stopped";
      // While it can still hear it.
      if (isOver) await goodbye(stage);
    } finally {
      await run.stop(isOver ? farewellMs : drainMs);
    }
  }
}

/** What others made does not change while one works on an agent. */
function isOwn(file: string): boolean {
  return !/[\\/]node_modules[\\/]/u.test(file);
}

async function untilItMustEnd(run: AgentProcess, stage: Stage): Promise<"changed" | "stopped"> {
  const { watch, telling, stopped } = stage;
  const changed = watch.changed().then((file) => ({ file }));
  const over = Promise.race([changed, stopped]);
  const ended = run.ended.then((why) => ({ why }));
  const wanted = new AbortController();
  const met = await Promise.race([meet(stage, wanted.signal), ended, over]);
  wanted.abort();
  if (met !== undefined && met !== "stopped" && "identification" in met) {
    const seated = await firstOf(bring(stage, met), stopped);
    if (seated === "stopped") return "stopped";
  }
  const next = await Promise.race([ended, over]);
  const last = next !== "stopped" && "why" in next ? await untilMended(next.why, over, stage) : next;
  if (last === "stopped") return "stopped";
  await telling.changed(last.file);
  return "changed";
}

async function untilMended<Over>(why: string, over: Promise<Over>, { port, telling }: Stage): Promise<Over> {
  const leave = await standIn(port);
  await telling.broken(why);
  const last = await over;
  await leave();
  return last;
}

/** Who wanted to stop does not hear how the other would have failed. */
async function firstOf<Result>(work: Promise<Result>, stopped: Promise<"stopped">): Promise<Result | "stopped"> {
  work.catch(() => undefined);
  return Promise.race([work, stopped]);
}

const hintMs = 20_000;

async function meet({ floor, serviceUrl, port, telling }: Stage, signal: AbortSignal): Promise<Manifest | undefined> {
  const hint = setTimeout(() => void telling.hint(port), hintMs);
  signal.addEventListener("abort", () => clearTimeout(hint), { once: true });
  const manifest = await manifestWhenReady(floor.dialler, serviceUrl, signal);
  clearTimeout(hint);
  return manifest;
}

/** The first time it must succeed; later the floor may be away for a while, and the agent still has its seat. */
async function bring(stage: Stage, manifest: Manifest): Promise<void> {
  const { floor, serviceUrl, conversation, telling } = stage;
  const name = manifest.identification.conversationalName;
  const isFirst = stage.guest === undefined;
  try {
    stage.guest ??= await guestOf(floor, serviceUrl, { name, ...(conversation !== undefined && { conversation }) });
    if (isFirst && !(await isMet(stage))) await telling.problem(`the floor does not reach it yet at ${serviceUrl}`);
    await stage.guest.bring(manifest);
    await (isFirst ? telling.joined(manifest, { serviceUrl, ...stage.guest }) : telling.reloaded(manifest));
  } catch (cause) {
    if (isFirst || !(cause instanceof FloorProblem)) throw cause;
    await telling.problem(cause.message);
  }
}

/** From now on the floor knows the agent, also where it is not invited. */
async function isMet({ floor, serviceUrl }: Stage): Promise<boolean> {
  try {
    const request = { method: "POST" as const, body: { serviceUrl } };
    return (await floor.json<{ health: string }>("/api/v1/agents", request)).health === "answering";
  } catch (cause) {
    if (cause instanceof FloorProblem && cause.status !== undefined) return true;
    throw cause;
  }
}

async function goodbye({ guest, telling }: Stage): Promise<void> {
  try {
    await guest?.takeAway();
    if (guest !== undefined) await telling.left();
  } catch (cause) {
    if (!(cause instanceof FloorProblem)) throw cause;
    await telling.problem(cause.message);
  }
}
