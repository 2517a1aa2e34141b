import { once } from "node:events";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { envelope, getManifests, type Manifest } from "@plenary/protocol";
import { askAgent, createDialler, type Dialler } from "@plenary/sdk";
import { isLoopbackUrl } from "@plenary/server";
import { FloorProblem } from "../errors.ts";
import { type FloorAccess, type FloorOptions, reachFloor } from "../floor/access.ts";
import { type Caller, comeIn } from "../floor/client.ts";
import { conversationCalled, conversationsAt } from "../floor/conversations.ts";
import type { ExitCode, Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { keptPort } from "../serve/listen-port.ts";
import { type AgentProcess, type AgentProgram, programAt, startAgent } from "./agent-process.ts";
import { createFileWatch, type FileWatch } from "./file-watch.ts";
import { type Guest, guestOf } from "./invited-agent.ts";
import { standIn } from "./placeholder-server.ts";
import { createDevReport, type DevReport } from "./progress-report.ts";

export type DevOptions = FloorOptions & { conversation?: string; speaker?: string; port: number; json: boolean };

type Stage = {
  program: AgentProgram;
  port: number;
  serviceUrl: string;
  caller: Caller;
  /** To the agent. */
  dialler: Dialler;
  conversation?: string;
  watch: FileWatch;
  report: DevReport;
  stopped: Promise<Over>;
  io: Io;
  /** Once it has been there. */
  guest?: Guest;
};

/** Brings an agent to a floor, starts it again whenever it is changed, and takes it away in the end. */
export async function dev(place: string, options: DevOptions, io: Io): Promise<ExitCode> {
  const program = programAt(place, io.cwd);
  const find = async () => nearFloor(await reachFloor(options, io));
  const { conversation, json, speaker } = options;
  // Nothing is started for a floor that does not let us in, or a conversation that is not there.
  const caller = await comeIn(find, speaker === undefined ? {} : { speaker });
  const dialler = createDialler({ mode: "local" });
  const watch = createFileWatch();
  try {
    const id = conversation === undefined ? undefined : await idOf(conversation, caller);
    const port = options.port === 0 ? await keptPort(program.file) : options.port;
    watch.add(program.file);
    await keepThere({
      ...{ program, port, serviceUrl: `http://127.0.0.1:${port}`, caller, dialler, watch, io },
      ...(id !== undefined && { conversation: id }),
      report: createDevReport(io, { json, label: basename(program.folder) }),
      stopped: untilToldToStop(),
    });
    return 0;
  } finally {
    watch.close();
    await dialler.close();
    await caller.close();
  }
}

async function idOf(name: string, caller: Caller): Promise<string> {
  return (await conversationCalled(name, conversationsAt(caller, caller.speakerUri))).id;
}

/** A floor elsewhere cannot call an agent on this machine. */
async function nearFloor(floor: FloorAccess): Promise<FloorAccess> {
  const { url } = floor;
  if (isLoopbackUrl(url)) return floor;
  await floor.close();
  const why = "it is on another machine, which cannot call an agent on this one";
  throw FloorProblem.badAddress(
    url,
    `${why}: run a floor here with npm start (or plenary serve), or let the agent call it with connect() of the SDK`,
  );
}

/** A terminal that is closed is a farewell, too. */
async function untilToldToStop(): Promise<Over> {
  await Promise.race([untilStopped(), once(process, "SIGHUP")]);
  return { kind: "stopped" };
}

/** A model may be in the middle of an answer. */
const drainMs = 10_000;
/** Who was taken away has nothing more to say. */
const farewellMs = 2_000;

async function keepThere(stage: Stage): Promise<void> {
  const { program, port, io, report, watch } = stage;
  for (let isOver = false; !isOver; ) {
    const run = startAgent(program, port, io, {
      onLine: report.line,
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

type Over = { kind: "stopped" } | { kind: "changed"; file: string };
type Happening = Over | { kind: "met"; manifest: Manifest } | { kind: "ended"; why: string };

async function untilItMustEnd(run: AgentProcess, stage: Stage): Promise<Over["kind"]> {
  const { watch, report, stopped } = stage;
  const changed = watch.changed().then((file): Over => ({ kind: "changed", file }));
  const over = Promise.race([changed, stopped]);
  const ended = run.ended.then((why): Happening => ({ kind: "ended", why }));
  const wanted = new AbortController();
  let next: Happening = await Promise.race([meet(stage, wanted.signal), ended, over]);
  wanted.abort();
  for (;;) {
    switch (next.kind) {
      case "met":
        next = (await firstOf(bring(stage, next.manifest), stopped)) ?? (await Promise.race([ended, over]));
        break;
      case "ended":
        next = await untilMended(next.why, over, stage);
        break;
      case "changed":
        await report.changed(next.file);
        return "changed";
      case "stopped":
        return "stopped";
    }
  }
}

async function untilMended(why: string, over: Promise<Over>, { port, report }: Stage): Promise<Over> {
  const leave = await standIn(port);
  await report.broken(why);
  const last = await over;
  await leave();
  return last;
}

/** Who wanted to stop does not hear how the other would have failed. */
async function firstOf(work: Promise<void>, stopped: Promise<Over>): Promise<Over | undefined> {
  work.catch(() => undefined);
  return Promise.race([work.then(() => undefined), stopped]);
}

const hintMs = 20_000;

async function meet({ dialler, serviceUrl, port, report }: Stage, signal: AbortSignal): Promise<Happening> {
  const hint = setTimeout(() => void report.hint(port), hintMs);
  signal.addEventListener("abort", () => clearTimeout(hint), { once: true });
  const manifest = await manifestWhenReady(dialler, serviceUrl, signal);
  clearTimeout(hint);
  // Nobody waits for it any longer.
  if (manifest === undefined) return { kind: "stopped" };
  return { kind: "met", manifest };
}

/** The first time it must succeed; later the floor may be away for a while, and the agent still has its seat. */
async function bring(stage: Stage, manifest: Manifest): Promise<void> {
  const { caller, serviceUrl, conversation, report } = stage;
  const name = manifest.identification.conversationalName;
  const isFirst = stage.guest === undefined;
  try {
    stage.guest ??= await guestOf(caller, serviceUrl, { name, ...(conversation !== undefined && { conversation }) });
    if (isFirst && !(await isMet(stage))) await report.problem(`the floor does not reach it yet at ${serviceUrl}`);
    await stage.guest.bring(manifest);
    await (isFirst ? report.joined(manifest, { serviceUrl, ...stage.guest }) : report.reloaded(manifest));
  } catch (cause) {
    if (isFirst || !(cause instanceof FloorProblem)) throw cause;
    await report.problem(cause.message);
  }
}

/** From now on the floor knows the agent, also where it is not invited. */
async function isMet({ caller, serviceUrl }: Stage): Promise<boolean> {
  try {
    const request = { method: "POST" as const, body: { serviceUrl } };
    return (await caller.json<{ health: string }>("/api/v1/agents", request)).health === "answering";
  } catch (cause) {
    if (cause instanceof FloorProblem && cause.status !== undefined) return true;
    throw cause;
  }
}

async function goodbye({ guest, report }: Stage): Promise<void> {
  try {
    await guest?.takeAway();
    if (guest !== undefined) await report.left();
  } catch (cause) {
    if (!(cause instanceof FloorProblem)) throw cause;
    await report.problem(cause.message);
  }
}

const againMs = 50;
const limits = { answerMs: 5_000, answerBytesMax: 1_048_576 };

/** Asks an agent that is just starting who it is, until it says so. Undefined when nobody wants to know any longer. */
export async function manifestWhenReady(
  dialler: Dialler,
  serviceUrl: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  while (!signal.aborted) {
    const manifest = await ask(dialler, serviceUrl, signal);
    if (manifest !== undefined) return manifest;
    await pause(againMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function ask(dialler: Dialler, serviceUrl: string, signal: AbortSignal): Promise<Manifest | undefined> {
  const question = envelope({
    conversation: { id: "urn:plenary:who-are-you" },
    sender: { speakerUri: "tag:plenary.example,2026:dev" },
    events: [getManifests({ to: { serviceUrl } })],
  });
  const reply = await askAgent(serviceUrl, question, { dialler, signal, ...limits });
  if (!reply.ok) return undefined;
  const manifests = reply.envelope.events.flatMap((event) =>
    event.eventType === "publishManifests" ? (event.parameters?.servicingManifests ?? []) : [],
  );
  return manifests[0];
}
