import { once } from "node:events";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { envelope, getManifests, type Manifest } from "@plenary/protocol";
import { askAgent, createDialler, type Dialler } from "@plenary/sdk";
import { isLoopbackUrl } from "@plenary/server";
import { FloorError } from "../errors.ts";
import { type FloorAccess, type FloorOptions, reachFloor } from "../floor/access.ts";
import { type FloorClient, openFloorClient } from "../floor/client.ts";
import { conversationsAt, findConversation } from "../floor/conversations.ts";
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
  client: FloorClient;
  /** To the agent. */
  dialler: Dialler;
  conversation?: string;
  watch: FileWatch;
  report: DevReport;
  stopped: Promise<StopReason>;
  io: Io;
  /** Once it has been there. */
  invited?: InvitedAgent;
};

/** Brings an agent to a floor, starts it again whenever it is changed, and takes it away in the end. */
export async function dev(place: string, options: DevOptions, io: Io): Promise<ExitCode> {
  const program = programAt(place, io.cwd);
  const find = async () => assertLocalFloor(await reachFloor(options, io));
  const { conversation, json, speaker } = options;
  // Nothing is started for a floor that does not let us in, or a conversation that is not there.
  const client = await openFloorClient(find, speaker === undefined ? {} : { speaker });
  const dialler = createDialler({ mode: "local" });
  const watch = createFileWatch();
  try {
    const id = conversation === undefined ? undefined : await idOf(conversation, client);
    const port = options.port === 0 ? await stablePort(program.file) : options.port;
    watch.add(program.file);
    await runUntilStopped({
      ...{ program, port, serviceUrl: `http://127.0.0.1:${port}`, client, dialler, watch, io },
      ...(id !== undefined && { conversation: id }),
      report: createDevReport(io, { json, label: basename(program.folder) }),
      stopped: untilStopSignal(),
    });
    return 0;
  } finally {
    watch.close();
    await dialler.close();
    await client.close();
  }
}

async function idOf(name: string, client: FloorClient): Promise<string> {
  return (await findConversation(name, conversationsAt(client, client.speakerUri))).id;
}

/** A floor elsewhere cannot call an agent on this machine. */
async function assertLocalFloor(floor: FloorAccess): Promise<FloorAccess> {
  const { url } = floor;
  if (isLoopbackUrl(url)) return floor;
  await floor.close();
  const why = "it is on another machine, which cannot call an agent on this one";
  throw FloorError.badAddress(
    url,
    `${why}: run a floor here with npm start (or plenary serve), or let the agent call it with connect() of the SDK`,
  );
}

/** A terminal that is closed is a farewell, too. */
async function untilStopSignal(): Promise<StopReason> {
  await Promise.race([untilStopped(), once(process, "SIGHUP")]);
  return { kind: "stopped" };
}

/** A model may be in the middle of an answer. */
const drainMs = 10_000;
/** Who was taken away has nothing more to say. */
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
      // While it can still hear it.
      if (isOver) await leaveFloor(stage);
    } finally {
      await run.stop(isOver ? stopMs : drainMs);
    }
  }
}

/** What others made does not change while one works on an agent. */
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

/** Who wanted to stop does not hear how the other would have failed. */
async function firstOf(work: Promise<void>, stopped: Promise<StopReason>): Promise<StopReason | undefined> {
  work.catch(() => undefined);
  return Promise.race([work.then(() => undefined), stopped]);
}

const hintMs = 20_000;

async function waitForManifest(
  { dialler, serviceUrl, port, report }: DevSession,
  signal: AbortSignal,
): Promise<AgentEvent> {
  const hint = setTimeout(() => void report.hint(port), hintMs);
  signal.addEventListener("abort", () => clearTimeout(hint), { once: true });
  const manifest = await manifestWhenReady(dialler, serviceUrl, signal);
  clearTimeout(hint);
  // Nobody waits for it any longer.
  if (manifest === undefined) return { kind: "stopped" };
  return { kind: "met", manifest };
}

/** The first time it must succeed; later the floor may be away for a while, and the agent still has its seat. */
async function joinFloor(stage: DevSession, manifest: Manifest): Promise<void> {
  const { client, serviceUrl, conversation, report } = stage;
  const name = manifest.identification.conversationalName;
  const isFirst = stage.invited === undefined;
  try {
    stage.invited ??= await inviteAgent(client, serviceUrl, {
      name,
      ...(conversation !== undefined && { conversation }),
    });
    if (isFirst && !(await registerAgent(stage)))
      await report.problem(`the floor does not reach it yet at ${serviceUrl}`);
    await stage.invited.join(manifest);
    await (isFirst ? report.joined(manifest, { serviceUrl, ...stage.invited }) : report.reloaded(manifest));
  } catch (cause) {
    if (isFirst || !(cause instanceof FloorError)) throw cause;
    await report.problem(cause.message);
  }
}

/** From now on the floor knows the agent, also where it is not invited. */
async function registerAgent({ client, serviceUrl }: DevSession): Promise<boolean> {
  try {
    const request = { method: "POST" as const, body: { serviceUrl } };
    return (await client.json<{ health: string }>("/api/v1/agents", request)).health === "answering";
  } catch (cause) {
    if (cause instanceof FloorError && cause.status !== undefined) return true;
    throw cause;
  }
}

async function leaveFloor({ invited, report }: DevSession): Promise<void> {
  try {
    await invited?.leave();
    if (invited !== undefined) await report.left();
  } catch (cause) {
    if (!(cause instanceof FloorError)) throw cause;
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
