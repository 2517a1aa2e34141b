import { announcement } from "./announcement.ts";
import { bindMistakes, type Configuration, parseConfiguration } from "./configuration.ts";
import type { ExitCode, Io } from "./io.ts";
import { type Mistake, mistakeText } from "./mistake.ts";
import { openFloor } from "./open-floor.ts";
import { builtPage } from "./page-files.ts";
import { logLine } from "./redact.ts";
import { hasLiveKey, tokenFileOf } from "./store.ts";
import { namedStore, storeFile } from "./store-place.ts";
import { untilStopped } from "./until-stopped.ts";

export type ServeOptions = {
  port: number;
  host: string;
  store?: string;
  token?: string;
  speaker?: string;
  allowOrigin: readonly string[];
  /** In seconds. */
  agentTimeout?: number;
  healthPort?: number;
  demo: boolean;
  json: boolean;
};

/** Runs the floor until it is told to stop. What others need to reach it is printed once it is open. */
export async function serve(options: ServeOptions, io: Io, version: string): Promise<ExitCode> {
  const parsed = parseConfiguration(options, io.env);
  if (!parsed.ok) return refuse(parsed.mistakes, io);
  const { configuration } = parsed;
  const file = storeFile(options.store, io);
  const refusals = await refusalsOf(configuration, namedStore(options.store, io), file);
  if (refusals.length > 0) return refuse(refusals, io);
  const given = options.token ?? configuration.token;
  const page = await pageFor(io);
  const closeTraces = await tracesFor(configuration, io, version);
  const floor = await openFloor({
    ...{ configuration, port: options.port, host: options.host, demo: options.demo, version },
    allowOrigins: options.allowOrigin,
    onError: (error) => void tell(io, error),
    ...(options.healthPort !== undefined && { healthPort: options.healthPort }),
    ...(options.agentTimeout !== undefined && { agentTimeoutMs: options.agentTimeout * 1_000 }),
    ...(file !== undefined && { file }),
    ...(given !== undefined && { token: given }),
    ...(page && { page }),
  });
  if ("problem" in floor) {
    await io.stderr.write(`plenary: ${logLine(floor.problem)}\n`);
    await closeTraces();
    return 2;
  }
  const opened = {
    ...{ url: floor.url, token: floor.token, agents: floor.agents, file },
    isTokenGiven: given !== undefined,
    ...(floor.healthUrl !== undefined && { healthUrl: floor.healthUrl }),
    ...(file !== undefined && { tokenFile: tokenFileOf(file) }),
    ...(configuration.mode === "production" && { publicUrl: configuration.publicUrl ?? floor.url }),
  };
  await io.stdout.write(announcement(opened, options));
  await untilStopped();
  await floor.close();
  await closeTraces();
  return 0;
}

async function refuse(mistakes: readonly Mistake[], io: Io): Promise<ExitCode> {
  for (const mistake of mistakes) await io.stderr.write(`plenary: ${logLine(mistakeText(mistake))}\n`);
  return 2;
}

/** Before anything is made: a floor that may not open leaves nothing behind. */
async function refusalsOf(configuration: Configuration, store: string | undefined, file: string | undefined) {
  // Who stays on this machine need not be asked for keys.
  if (bindMistakes(configuration, { hasLiveKey: false, store }).length === 0) return [];
  return bindMistakes(configuration, { hasLiveKey: await hasLiveKey(file), store });
}

/** A floor without a page is a floor all the same. */
async function pageFor(io: Io) {
  const page = await builtPage();
  if (page === undefined) await io.stderr.write("plenary: the page was not built, so there is none: npm run build\n");
  return page;
}

/** Nobody who exports no spans loads what exports them. */
async function tracesFor({ traces }: Configuration, io: Io, version: string): Promise<() => Promise<void>> {
  if (traces === undefined) return async () => {};
  const { openTraces } = await import("./traces.ts");
  return openTraces(traces, { version, onError: (error) => void tell(io, error) });
}

async function tell(io: Io, error: unknown): Promise<void> {
  await io.stderr.write(`plenary: ${logLine(error)}\n`).catch(() => undefined); // nobody is left to tell
}
