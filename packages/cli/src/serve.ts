import type { ExitCode, Io } from "./io.ts";
import { printable } from "./printable.ts";
import { keptToken, openStore } from "./store.ts";
import { memory, storeFile } from "./store-place.ts";
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
  const { createFloorServer, newToken } = await import("@plenary/server");
  const { createDialler } = await import("@plenary/sdk");
  const { allowOrigin, demo } = options;
  const hosted = demo ? await readyMadeAgents() : undefined;
  const file = storeFile(options.store, io);
  const store = await openStore(file);
  const token = options.token ?? keptToken(file, newToken);
  const server = createFloorServer(
    { store, dialler: createDialler({ mode: "local" }), ...(hosted && { hostedAgents: hosted }) },
    {
      allowOrigins: allowOrigin,
      version,
      onError: (error) => void tell(io, error),
      ...(token !== undefined && { token }),
      ...publicUrlOf(io),
      ...speakerUriOf(io),
    },
  );
  const listening = await open(server, options);
  if ("problem" in listening) {
    await io.stderr.write(`plenary: ${printable(listening.problem)}\n`);
    await server.close();
    return 2;
  }
  const { url } = listening;
  await io.stdout.write(announcement({ url, token: server.token, agents: hosted?.names ?? [], file }, options));
  await untilStopped();
  await server.close();
  return 0;
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

function publicUrlOf({ env }: Io) {
  return env.PLENARY_PUBLIC_URL === undefined ? {} : { publicUrl: env.PLENARY_PUBLIC_URL };
}

function speakerUriOf({ env }: Io) {
  return env.PLENARY_SPEAKER_URI === undefined ? {} : { speakerUri: env.PLENARY_SPEAKER_URI };
}

type Opened = { url: string; token: string; agents: readonly string[]; file: string | undefined };

function announcement({ url, token, agents, file }: Opened, { json }: ServeOptions): string {
  // Behind the # a browser keeps the token to itself.
  const link = `${url}/#token=${token}`;
  if (json) return `${JSON.stringify({ url, link, token, agents, store: file ?? memory })}\n`;
  const hosted = agents.map((name) => `  ${url}/agents/${name}\n`).join("");
  const keeps =
    file === undefined
      ? "Conversations live in memory and end with this process."
      : `Conversations are kept in ${printable(file)} and go on after a restart.`;
  return [
    `\n  The floor is open: ${link}\n\n`,
    "  Agents to invite:\n",
    hosted === "" ? "  none (started with --no-demo)\n" : hosted,
    `\n  ${keeps} Ctrl+C stops it.\n\n`,
  ].join("");
}

async function tell(io: Io, error: unknown): Promise<void> {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await io.stderr.write(`plenary: ${printable(message)}\n`).catch(() => undefined); // nobody is left to tell
}
