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
export async function keptPort(program: string, alikeMax = 1): Promise<number> {
  for (let at = 1; at <= alikeMax; at += 1) {
    const free = await freePort(portOf(at === 1 ? program : `${program} ${at}`));
    if (free !== undefined) return free;
  }
  return (await freePort(0)) ?? portOf(program);
}

function portOf(program: string): number {
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
