import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

// Below the ephemeral port range of operating systems.
const portsFrom = 20_000;
const portsCount = 10_000;

/**
 * A free port that stays the same for a program: a floor binds a speaker to the address it first used. `alikeMax` is how
 * many instances of the program may run at a time, each with its own stable port.
 */
export async function stablePort(program: string, alikeMax = 1): Promise<number> {
  for (let at = 1; at <= alikeMax; at += 1) {
    const free = await freePort(portFor(at === 1 ? program : `${program} ${at}`));
    if (free !== undefined) return free;
  }
  return (await freePort(0)) ?? portFor(program);
}

function portFor(program: string): number {
  return portsFrom + (createHash("sha256").update(program).digest().readUInt32BE() % portsCount);
}

async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Why a server cannot listen, and how to fix it. */
export function listenProblem(cause: unknown, { port, host }: { port: number; host: string }): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return `port ${port} is in use: stop the process that uses it, or give --port 0 for any free port`;
  if (code === "EACCES") return `port ${port} needs special permission: give a --port above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is not an address of this machine: leave out --host`;
  return message;
}
