import { type ConfigError, configErrorText } from "../config/config-error.ts";
import { bindErrors, type Configuration, parseConfiguration } from "../config/configuration.ts";
import type { ExitCode, Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { logLine } from "../output/redact.ts";
import { printable } from "../output/sanitize.ts";
import { givenStore, memory, storeFile } from "../store/location.ts";
import { hasLiveKey, tokenFileOf } from "../store/store.ts";
import { openFloor } from "./open-floor.ts";
import { builtPage } from "./page-files.ts";

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
  if (!parsed.ok) return printErrors(parsed.errors, io);
  const { configuration } = parsed;
  const file = storeFile(options.store, io);
  const refusals = await bindErrorsOf(configuration, givenStore(options.store, io), file);
  if (refusals.length > 0) return printErrors(refusals, io);
  const given = options.token ?? configuration.token;
  const page = await pageFor(io);
  const closeTraces = await startTraces(configuration, io, version);
  const floor = await openFloor({
    ...{ configuration, port: options.port, host: options.host, demo: options.demo, version },
    allowOrigins: options.allowOrigin,
    onError: (error) => void logError(io, error),
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

async function printErrors(errors: readonly ConfigError[], io: Io): Promise<ExitCode> {
  for (const error of errors) await io.stderr.write(`plenary: ${logLine(configErrorText(error))}\n`);
  return 2;
}

/** Before anything is made: a floor that may not open leaves nothing behind. */
async function bindErrorsOf(configuration: Configuration, store: string | undefined, file: string | undefined) {
  // Who stays on this machine need not be asked for keys.
  if (bindErrors(configuration, { hasLiveKey: false, store }).length === 0) return [];
  return bindErrors(configuration, { hasLiveKey: await hasLiveKey(file), store });
}

/** A floor without a page is a floor all the same. */
async function pageFor(io: Io) {
  const page = await builtPage();
  if (page === undefined) await io.stderr.write("plenary: the page was not built, so there is none: npm run build\n");
  return page;
}

/** Nobody who exports no spans loads what exports them. */
async function startTraces({ traces }: Configuration, io: Io, version: string): Promise<() => Promise<void>> {
  if (traces === undefined) return async () => {};
  const { openTraces } = await import("./traces.ts");
  return openTraces(traces, { version, onError: (error) => void logError(io, error) });
}

async function logError(io: Io, error: unknown): Promise<void> {
  await io.stderr.write(`plenary: ${logLine(error)}\n`).catch(() => undefined); // nobody is left to tell
}

/** What there is to say of a floor that is open. */
export type OpenFloorInfo = {
  /** Where it listens. */
  url: string;
  /** Where others reach it; only in production. */
  publicUrl?: string;
  /** Where health checks have a port of their own. */
  healthUrl?: string;
  token: string;
  /** Where the token is kept; not there when it was given, or lives in memory. */
  tokenFile?: string;
  isTokenGiven: boolean;
  agents: readonly string[];
  file: string | undefined;
};

export function announcement(opened: OpenFloorInfo, { json }: { json: boolean }): string {
  if (json) return `${JSON.stringify(jsonOf(opened))}\n`;
  const { url, publicUrl = url, agents, file } = opened;
  const hosted = agents.map((name) => `  ${publicUrl}/agents/${name}\n`).join("");
  const keeps =
    file === undefined
      ? "Conversations live in memory and end with this process."
      : `Conversations are kept in ${printable(file)} and go on after a restart.`;
  return [
    `\n  The floor is open: ${opened.publicUrl === undefined ? linkOf(opened) : publicUrl}\n\n`,
    opened.publicUrl === undefined ? "" : `  It listens on ${url}. ${tokenNote(opened)}\n\n`,
    "  Agents to invite:\n",
    hosted === "" ? "  none (started with --no-demo)\n" : hosted,
    `\n  ${keeps} Ctrl+C stops it.\n\n`,
  ].join("");
}

function jsonOf({ url, publicUrl, healthUrl, token, tokenFile, agents, file, ...opened }: OpenFloorInfo) {
  const store = { store: file ?? memory, ...(healthUrl !== undefined && { healthUrl }) };
  if (publicUrl === undefined) return { url, link: linkOf({ url, token }), token, agents, ...store };
  const kept = opened.isTokenGiven || tokenFile === undefined ? {} : { tokenFile };
  return { url: publicUrl, listening: url, ...kept, agents, ...store };
}

/** Behind the # a browser keeps the token to itself. */
function linkOf({ url, token }: Pick<OpenFloorInfo, "url" | "token">): string {
  return `${url}/#token=${token}`;
}

/** What is printed in production may be collected and read by many: the token is not. */
function tokenNote({ tokenFile, isTokenGiven }: OpenFloorInfo): string {
  if (isTokenGiven) return "The operator's token is the one that was given.";
  if (tokenFile !== undefined) return `The operator's token is in ${printable(tokenFile)}, for its owner only.`;
  return "The operator's token is told to nobody: set PLENARY_TOKEN, or keep conversations in a file.";
}
