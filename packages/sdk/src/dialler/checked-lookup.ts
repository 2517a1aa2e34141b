import type { LookupFunction } from "node:net";
import { type AddressPolicy, isAddress, isAmong, type Target } from "./address-policy.ts";
import { DialError } from "./dial-error.ts";

export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** Checks the addresses of one target before dialling, and the address of the connection afterwards. */
export type CheckedRoute = {
  /** Resolves a name. Every address is checked. */
  lookup: LookupFunction;
  /** Destroys a socket that is connected to an unchecked address. Undefined when the socket may be used. */
  refusalOf(socket: Connected): DialError | undefined;
};

type Connected = { remoteAddress?: string | undefined; destroy(): unknown };

/** Without a policy every address is allowed. */
export function createCheckedRoute(target: Target, policy: AddressPolicy | undefined, resolve: Resolve): CheckedRoute {
  // Node calls no lookup for a host that is already an address.
  let checked: readonly string[] = isAddress(target.host) ? [target.host] : [];
  return {
    lookup(hostname, { all }, callback) {
      resolve(hostname).then(
        (found) => {
          // Copied, so that the checked addresses are the dialled ones.
          const addresses = found.map(({ address, family }) => ({ address, family }));
          const [first] = addresses;
          const why = refusalIn(addresses, target, policy);
          if (why !== undefined) return callback(refused(target, why), "");
          if (first === undefined) return callback(unreachable(target, "this name has no address"), "");
          checked = addresses.map(({ address }) => address);
          if (all === true) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ""),
      );
    },
    refusalOf(socket) {
      const { remoteAddress = "" } = socket;
      if (policy === undefined || isAmong(checked, remoteAddress)) return undefined;
      socket.destroy();
      return refused(target, `the connection leads to ${remoteAddress || "nowhere"}, which was not checked`);
    },
  };
}

/** One forbidden address among allowed ones refuses the name: it is an attack, not an accident. */
function refusalIn(addresses: readonly { address: string }[], target: Target, policy: AddressPolicy | undefined) {
  return addresses.map(({ address }) => policy?.(target, address)).find((why) => why !== undefined);
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
