import { once } from "node:events";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Floor } from "@plenary/client";
import { envelope, getManifests, type Manifest } from "@plenary/protocol";
import { askAgent, createDialler, type Dialler } from "@plenary/sdk";
import { isLoopbackUrl } from "@plenary/server";
import { FloorError, isFloorError, isFloorProblem, messageOf } from "../errors.ts";
import { type FloorOptions, type LocatedFloor, locateFloor } from "../floor/access.ts";
import { connectFloor } from "../floor/connection.ts";
import { findConversation } from "../floor/conversations.ts";
import type { ExitCode, Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { stablePort } from "../serve/listen-port.ts";
import { type AgentProcess, type AgentProgram, programAt, startAgent } from "./agent-process.ts";
import { createFileWatch, type FileWatch } from "./file-watch.ts";
import { type InvitedAgent, inviteAgent } from "./invited-agent.ts";
import { startPlaceholder } from "./placeholder-server.ts";
import { createDevReport, type DevReport } from "./progress-report.ts";

export type DevOptions = FloorOptions & { conversation?: string; speaker?: string; port: number; json: boolean };

type DevSession = {
  program: AgentProgram;
  port: number;
  serviceUrl: string;
  floor: Floor;
  /** Dials the agent. */
  dialler: Dialler;
  conversation?: string;
  watch: FileWatch;
  report: DevReport;
  stopped: Promise<StopReason>;
  io: Io;
  /** Set once it has joined. */
  invited?: InvitedAgent;
};

/** Runs an agent on a floor, restarts it on changes, and uninvites it at the end. */
export async function dev(place: string, options: DevOptions, io: Io): Promise<ExitCode> {
  const program = programAt(place, io.cwd);
  const locate = async () => assertLocalFloor(await locateFloor(options, io));
  const { conversation, json, speaker } = options;
  // Checked first: no agent is started when the floor refuses the token or the conversation is missing.
  const floor = await connectFloor(locate, speaker === undefined ? {} : { speaker });
  const dialler = createDialler({ mode: "local" });
  const watch = createFileWatch();
  try {
    const id =
      conversation === undefined ? undefined : (await findConversation(conversation, floor.conversations())).id;
    const port = options.port === 0 ? await stablePort(program.file) : options.port;
    watch.add(program.file);
    await runUntilStopped({
      program,
      port,
      serviceUrl: `http://127.0.0.1:${port}`,
      floor,
      dialler,
      watch,
      io,
      ...(id !== undefined && { conversation: id }),
      report: createDevReport(io, { json, label: basename(program.folder) }),
      stopped: untilStopSignal(),
    });
    return 0;
  } finally {
    watch.close();
    await dialler.close();
    await floor.close();
  }
}

/** Throws for a floor on another machine, which cannot call an agent here. */
function assertLocalFloor(floor: LocatedFloor): LocatedFloor {
  const { url } = floor;
  if (isLoopbackUrl(url)) return floor;
  const why = "it is on another machine, which cannot call an agent on this one";
  throw FloorError.badAddress(
    url,
    `${why}: run a floor here with npm start (or plenary serve), or connect the agent with the SDK's connect()`,
  );
}

/** SIGHUP: the terminal was closed. */
async function untilStopSignal(): Promise<StopReason> {
  await Promise.race([untilStopped(), once(process, "SIGHUP")]);
  return { kind: "stopped" };
}

/** Time for an answer in progress, such as a model's. */
const drainMs = 10_000;
/** After uninvite the agent has no answers to finish. */
const stopMs = 2_000;

async function runUntilStopped(stage: DevSession): Promise<void> {
  const { program, port, io, report, watch } = stage;
  for (let isOver = false; !isOver; ) {
    const run = startAgent(program, port, io, {
      onLine: report.line,
      onFile: (file) => isOwn(file) && watch.add(file),
    });
    try {
      isOver = (await runOnce(run, stage)) === "stopped";
      // Before its process ends, so that it receives the uninvite.
      if (isOver) await leaveFloor(stage);
    } finally {
      await run.stop(isOver ? stopMs : drainMs);
    }
  }
}

/** Dependencies are not watched. */
function isOwn(file: string): boolean {
  return !/[\\/]node_modules[\\/]/u.test(file);
}

type StopReason = { kind: "stopped" } | { kind: "changed"; file: string };
type AgentEvent = StopReason | { kind: "met"; manifest: Manifest } | { kind: "ended"; why: string };

async function runOnce(run: AgentProcess, stage: DevSession): Promise<StopReason["kind"]> {
  const { watch, report, stopped } = stage;
  const changed = watch.changed().then((file): StopReason => ({ kind: "changed", file }));
  const over = Promise.race([changed, stopped]);
  const ended = run.ended.then((why): AgentEvent => ({ kind: "ended", why }));
  const wanted = new AbortController();
  let next: AgentEvent = await Promise.race([waitForManifest(stage, wanted.signal), ended, over]);
  wanted.abort();
  for (;;) {
    switch (next.kind) {
      case "met":
        next = (await firstOf(joinFloor(stage, next.manifest), stopped)) ?? (await Promise.race([ended, over]));
        break;
      case "ended":
        next = await waitForChange(next.why, over, stage);
        break;
      case "changed":
        await report.changed(next.file);
        return "changed";
      case "stopped":
        return "stopped";
    }
  }
}

async function waitForChange(
  why: string,
  over: Promise<StopReason>,
  { port, report }: DevSession,
): Promise<StopReason> {
  const leave = await startPlaceholder(port);
  await report.broken(why);
  const last = await over;
  await leave();
  return last;
}

/** After a stop signal a failure of `work` no longer matters. */
async function firstOf(work: Promise<void>, stopped: Promise<StopReason>): Promise<StopReason | undefined> {
  work.catch(() => undefined);
  return Promise.race([work.then(() => undefined), stopped]);
}

const hintMs = 20_000;
const againMs = 50;

/** Asks a starting agent for its manifest until it answers. */
async function waitForManifest(
  { dialler, serviceUrl, port, report }: DevSession,
  signal: AbortSignal,
): Promise<AgentEvent> {
  const hint = setTimeout(() => void report.hint(port), hintMs);
  try {
    while (!signal.aborted) {
      const manifest = await ask(dialler, serviceUrl, signal);
      if (manifest !== undefined) return { kind: "met", manifest };
      await pause(againMs, undefined, { signal }).catch(() => undefined);
    }
    return { kind: "stopped" };
  } finally {
    clearTimeout(hint);
  }
}

/** The first join must succeed. Later the floor may be unreachable for a while, and the agent stays a conversant. */
async function joinFloor(stage: DevSession, manifest: Manifest): Promise<void> {
  const { floor, serviceUrl, conversation, report } = stage;
  const name = manifest.identification.conversationalName;
  const isFirst = stage.invited === undefined;
  try {
    stage.invited ??= await inviteAgent(floor, serviceUrl, {
      name,
      ...(conversation !== undefined && { conversation }),
    });
    if (isFirst && !(await registerAgent(stage)))
      await report.problem(`the floor cannot reach the agent yet at ${serviceUrl}`);
    await stage.invited.join(manifest);
    await (isFirst ? report.joined(manifest, { serviceUrl, ...stage.invited }) : report.reloaded(manifest));
  } catch (cause) {
    if (isFirst || !isFloorError(cause)) throw cause;
    await report.problem(messageOf(cause));
  }
}

/** Adds the agent to the floor's known agents. */
async function registerAgent({ floor, serviceUrl }: DevSession): Promise<boolean> {
  try {
    return (await floor.call("POST /api/v1/agents", { body: { serviceUrl } })).health === "answering";
  } catch (problem) {
    if (isFloorProblem(problem) && problem.status > 0) return true;
    throw problem;
  }
}

async function leaveFloor({ invited, report }: DevSession): Promise<void> {
  try {
    await invited?.leave();
    if (invited !== undefined) await report.left();
  } catch (cause) {
    if (!isFloorError(cause)) throw cause;
    await report.problem(messageOf(cause));
  }
}

const limits = { answerMs: 5_000, answerBytesMax: 1_048_576 };

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
