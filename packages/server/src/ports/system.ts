import { randomBytes, randomUUID } from "node:crypto";
import type { Clock, Ids } from "./clock.ts";

// Maximum of setTimeout; a longer wait is split.
const waitMaxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(atMs, callback) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = atMs - Date.now();
      timer = setTimeout(() => (leftMs > waitMaxMs ? wait() : callback()), Math.min(Math.max(0, leftMs), waitMaxMs));
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
