import { isIP } from "node:net";
import { buildConnector } from "undici";
import type { ConnectorFactory } from "../dialler.ts";

/**
 * A connector that reaches only loopback, so that a broken dialler reaches nothing else. `dialled` lists all addresses that
 * it tried.
 */
export function createLoopbackWire(): { wire: ConnectorFactory; dialled: string[] } {
  const dialled: string[] = [];
  const wire: ConnectorFactory = (options = {}) => {
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
