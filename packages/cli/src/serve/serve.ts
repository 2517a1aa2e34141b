import type { Logger } from "@plenary/server";
import { bindErrors, type Configuration, parseConfiguration } from "../config/configuration.ts";
import type { LogChoice } from "../config/logging.ts";
import { type ConfigError, configErrorText } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { logLine } from "../output/redact.ts";
import { printable } from "../output/sanitize.ts";
import { givenStore, memory, storeFile } from "../store/location.ts";
import { hasLiveKey, tokenFileOf } from "../store/store.ts";
import { createFloorLogger } from "./floor-logger.ts";
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
  logLevel?: LogChoice["level"];
  logFormat?: LogChoice["format"];
  json: boolean;
};

/** Runs the floor until a stop signal. Prints its address once it listens. */
export async function serve(options: ServeOptions, io: Io, version: string): Promise<ExitCode> {
  const parsed = parseConfiguration(options, io.env);
  if (!parsed.ok) return printErrors(parsed.errors, io);
  const { configuration } = parsed;
  const file = storeFile(options.store, io);
  const refusals = await bindErrorsOf(configuration, givenStore(options.store, io), file);
  if (refusals.length > 0) return printErrors(refusals, io);
  const given = options.token ?? configuration.token;
  const page = await pageFor(io);
  const logger = createFloorLogger(configuration.log ?? {}, io);
  const closeTraces = await startTraces(configuration, version, logger);
  const floor = await openFloor({
    configuration,
    port: options.port,
    host: options.host,
    demo: options.demo,
    version,
    allowOrigins: options.allowOrigin,
    logger,
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
    ...floor,
    file,
    isTokenGiven: given !== undefined,
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

/** Checked first, so that a refused floor creates no files. */
async function bindErrorsOf(configuration: Configuration, store: string | undefined, file: string | undefined) {
  // The store is only opened when keys matter.
  if (bindErrors(configuration, { hasLiveKey: false, store }).length === 0) return [];
  return bindErrors(configuration, { hasLiveKey: await hasLiveKey(file), store });
}

/** The floor also runs without the page. */
async function pageFor(io: Io) {
  const page = await builtPage();
  if (page === undefined)
    await io.stderr.write("plenary: the web page is not built, so it is not served: npm run build\n");
  return page;
}

/** Loads the exporter only when spans are exported. */
async function startTraces({ traces }: Configuration, version: string, logger: Logger): Promise<() => Promise<void>> {
  if (traces === undefined) return async () => {};
  const { openTraces } = await import("./traces.ts");
  return openTraces(traces, { version, onError: (reason) => logger.warn("spans cannot be exported", { reason }) });
}

/** What `plenary serve` prints about an open floor. */
export type OpenFloorInfo = {
  /** The address it listens on. */
  url: string;
  /** The public address; only in production. */
  publicUrl?: string;
  /** The address of the separate health port. */
  healthUrl?: string;
  token: string;
  /** The token's file; absent for a given token and for the in-memory store. */
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
      ? "Conversations are in memory and are lost when this process ends."
      : `Conversations are stored in ${printable(file)} and continue after a restart.`;
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

/** Browsers do not send the part after # to the server. */
function linkOf({ url, token }: Pick<OpenFloorInfo, "url" | "token">): string {
  return `${url}/#token=${token}`;
}

/** In production stdout may be collected in logs, so the token is not printed. */
function tokenNote({ tokenFile, isTokenGiven }: OpenFloorInfo): string {
  if (isTokenGiven) return "The operator's token is the one that was given.";
  if (tokenFile !== undefined) return `The operator's token is in ${printable(tokenFile)}, readable by its owner only.`;
  return "The operator's token is not shown: set PLENARY_TOKEN, or store conversations in a file.";
}
