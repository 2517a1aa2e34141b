import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

// Below those that systems hand out by themselves.
const portsFrom = 20_000;
const portsCount = 10_000;

/**
 * A free port, the same one for the same program whenever it is free: a floor trusts a speaker at the address it first came
 * from. `alikeMax`: so many of that program may run at a time, each at one of the same ports.
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

/** What keeps a server from listening, with the way out of it. */
export function listenProblem(cause: unknown, { port, host }: { port: number; host: string }): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `port ${port} is taken: stop what uses it, or give --port 0 for any free one`;
  if (code === "EACCES") return `port ${port} is not for everyone: give a --port above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is no address of this machine: leave --host out`;
  return message;
}
