import type { LookupFunction } from "node:net";
import { isAddress, isAmong, type Judge, type Target } from "./address-policy.ts";
import { DialError } from "./dial-error.ts";

export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The way to one target: what is judged before it is dialled, and whether the connection then leads there. */
export type Route = {
  /** Name -> addresses, every one of them judged. */
  lookup: LookupFunction;
  /** Destroys a socket that is connected to any address but a judged one. Undefined when it may be used. */
  refusalOf(socket: Connected): DialError | undefined;
};

type Connected = { remoteAddress?: string | undefined; destroy(): unknown };

/** Without a judge anything goes. */
export function routeTo(target: Target, judge: Judge | undefined, resolve: Resolve): Route {
  // Node calls no lookup for a host that is an address already.
  let judged: readonly string[] = isAddress(target.host) ? [target.host] : [];
  return {
    lookup(hostname, { all }, callback) {
      resolve(hostname).then(
        (found) => {
          // Copied, so that what is judged is what is dialled.
          const addresses = found.map(({ address, family }) => ({ address, family }));
          const [first] = addresses;
          const why = refusalIn(addresses, target, judge);
          if (why !== undefined) return callback(refused(target, why), "");
          if (first === undefined) return callback(unreachable(target, "this name has no address"), "");
          judged = addresses.map(({ address }) => address);
          if (all === true) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ""),
      );
    },
    refusalOf(socket) {
      const { remoteAddress = "" } = socket;
      if (judge === undefined || isAmong(judged, remoteAddress)) return undefined;
      socket.destroy();
      return refused(target, `the connection leads to ${remoteAddress || "nowhere"}, which nobody judged`);
    },
  };
}

/** One forbidden address among good ones is a trap, not bad luck. */
function refusalIn(addresses: readonly { address: string }[], target: Target, judge: Judge | undefined) {
  return addresses.map(({ address }) => judge?.(target, address)).find((why) => why !== undefined);
}

function refused(target: Target, why: string): DialError {
  return new DialError(urlOf(target), "refused-address", why);
}

function unreachable(target: Target, why: string): DialError {
  return new DialError(urlOf(target), "unreachable", why);
}

function urlOf({ protocol, host, port }: Target): string {
  return `${protocol}//${host.includes(":") ? `[${host}]` : host}:${port}`;
}
