import type { FloorServerOptions, FloorServerPorts, IdentityDial } from "@plenary/server";
import { announcement } from "./announcement.ts";
import { bindMistakes, type Configuration, issuerHosts, parseConfiguration } from "./configuration.ts";
import { createIdentityDial } from "./identity-dial.ts";
import type { ExitCode, Io } from "./io.ts";
import { type Mistake, mistakeText } from "./mistake.ts";
import { builtPage } from "./page-files.ts";
import { logLine } from "./redact.ts";
import { hasLiveKey, keptToken, openCredentials, openStore, tokenFileOf } from "./store.ts";
import { namedStore, storeFile } from "./store-place.ts";
import { untilStopped } from "./until-stopped.ts";

export type ServeOptions = {
  port: number;
  host: string;
  store?: string;
  token?: string;
  allowOrigin: readonly string[];
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
  const { createFloorServer } = await import("@plenary/server");
  const store = await openStore(file);
  const given = options.token ?? configuration.token;
  const token = await operatorToken(given, file, io);
  const credentials = await openCredentials(file);
  const ways = await openWays(configuration);
  const hosted = options.demo ? await readyMadeAgents() : undefined;
  const page = await pageFor(io);
  const server = createFloorServer(
    { store, credentials, ...ways.ports, ...(hosted && { hostedAgents: hosted }), ...(page && { page }) },
    {
      ...optionsOf(configuration),
      allowOrigins: options.allowOrigin,
      version,
      onError: (error) => void tell(io, error),
      ...(token !== undefined && { token }),
    },
  );
  const close = async () => {
    await server.close();
    await credentials.close();
    await ways.close();
  };
  const listening = await open(server, options);
  if ("problem" in listening) {
    await io.stderr.write(`plenary: ${logLine(listening.problem)}\n`);
    await close();
    return 2;
  }
  const opened = {
    ...{ url: listening.url, token: server.token, agents: hosted?.names ?? [], file },
    isTokenGiven: given !== undefined,
    ...(file !== undefined && { tokenFile: tokenFileOf(file) }),
    ...(configuration.mode === "production" && { publicUrl: configuration.publicUrl ?? listening.url }),
  };
  await io.stdout.write(announcement(opened, options));
  await untilStopped();
  await close();
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

async function operatorToken(given: string | undefined, file: string | undefined, io: Io) {
  if (given !== undefined || file === undefined) return given;
  const { newToken } = await import("@plenary/server");
  const kept = keptToken(file, newToken);
  if (kept.warning !== undefined) await io.stderr.write(`plenary: ${logLine(kept.warning)}\n`);
  return kept.token;
}

type Ways = {
  ports: Pick<FloorServerPorts, "dialler" | "identityDial" | "tokens">;
  close: () => Promise<void>;
};

/** The ways out: one to agents, and one to issuers, who may live where no agent is called. */
async function openWays(configuration: Configuration): Promise<Ways> {
  const { createDialler } = await import("@plenary/sdk");
  const { mode, allowHosts, allowCidrs } = configuration;
  const dialler = createDialler({ mode, allowHosts, allowCidrs });
  const toIssuers = createDialler({ mode, allowHosts: [...allowHosts, ...issuerHosts(configuration)], allowCidrs });
  const identityDial = createIdentityDial(toIssuers);
  return {
    ports: { dialler, identityDial, ...(await tokensOf(configuration, identityDial)) },
    close: async () => void (await Promise.all([dialler.close(), toIssuers.close()])),
  };
}

async function tokensOf({ jwt }: Configuration, dial: IdentityDial): Promise<Pick<FloorServerPorts, "tokens">> {
  if (jwt === undefined) return {};
  const { createJwtVerifier, systemClock } = await import("@plenary/server");
  return { tokens: createJwtVerifier({ ...jwt, dial, clock: systemClock }) };
}

function optionsOf({ mode, publicUrl, speakerUri, proxies, signIn }: Configuration): FloorServerOptions {
  return {
    // Whoever binds elsewhere has been asked for keys before.
    allowRemote: mode === "production",
    ...(publicUrl !== undefined && { publicUrl }),
    ...(speakerUri !== undefined && { speakerUri }),
    ...(proxies !== undefined && { proxies }),
    ...(signIn !== undefined && { signIn }),
  };
}

type Listens = { listen: (port: number, host: string) => Promise<{ url: string }> };

/** What keeps a floor from opening is told with the way out of it. */
async function open(server: Listens, { port, host }: ServeOptions): Promise<{ url: string } | { problem: string }> {
  try {
    return await server.listen(port, host);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      return { problem: `port ${port} is taken: stop what uses it, or give --port 0 for any free one` };
    if (code === "EACCES") return { problem: `port ${port} is not for everyone: give a --port above 1023` };
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      return { problem: `${host} is no address of this machine: leave --host out` };
    return { problem: message };
  }
}

async function readyMadeAgents() {
  const { agentNamed, agentNames } = await import("@plenary/agents");
  return { names: agentNames, create: (name: string, serviceUrl: string) => agentNamed(name, { serviceUrl }) };
}

/** A floor without a page is a floor all the same. */
async function pageFor(io: Io) {
  const page = await builtPage();
  if (page === undefined) await io.stderr.write("plenary: the page was not built, so there is none: npm run build\n");
  return page;
}

async function tell(io: Io, error: unknown): Promise<void> {
  await io.stderr.write(`plenary: ${logLine(error)}\n`).catch(() => undefined); // nobody is left to tell
}
