import { isIP } from "node:net";
import { buildConnector } from "undici";
import type { Wire } from "../dialler.ts";

/**
 * A network without anything beyond this machine: loopback is connected to, all else is unreachable. So a dialler that is
 * broken on purpose, or by mistake, reaches nobody. `dialled` tells which addresses it tried.
 */
export function createLoopbackWire(): { wire: Wire; dialled: string[] } {
  const dialled: string[] = [];
  const wire: Wire = (options = {}) => {
    const connect = buildConnector(options);
    return (target, callback) => {
      const lookup = "lookup" in options ? options.lookup : undefined;
      const go = (addresses: readonly string[]) => {
        dialled.push(...addresses);
        const [first = ""] = addresses;
        if (addresses.every(isLoopback)) connect({ ...target, hostname: first }, callback);
        else callback(new Error(`${first} is out of reach`), null);
      };
      if (isIP(target.hostname) !== 0 || lookup === undefined) return go([target.hostname]);
      lookup(target.hostname, { all: true }, (error, found) => {
        if (error !== null) callback(error, null);
        else go([found].flat().map((one) => (typeof one === "string" ? one : one.address)));
      });
    };
  };
  return { wire, dialled };
}

function isLoopback(address: string): boolean {
  return /^127\./u.test(address) || address === "::1" || /^::ffff:7f/u.test(address);
}
