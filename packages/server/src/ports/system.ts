import { randomBytes, randomUUID } from "node:crypto";
import type { Clock, Ids } from "./clock.ts";

// setTimeout takes no longer wait; a longer one rings early and is set again.
const waitMaxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(atMs, ring) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = atMs - Date.now();
      timer = setTimeout(() => (leftMs > waitMaxMs ? wait() : ring()), Math.min(Math.max(0, leftMs), waitMaxMs));
    };
    wait();
    return () => clearTimeout(timer);
  },
};

export const systemIds: Ids = {
  newId: () => randomUUID(),
  random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}
