import { canonicalAddress } from "@plenary/protocol";
import { speakerIn } from "../conversation/relay-address.ts";
import type { Binding } from "../ports/store.ts";
import { isLoopback, isLoopbackUrl } from "./client-address.ts";

type Listening = {
  /** The address it listens on; none where it is called by its own process. */
  host?: string;
  url: string;
  allowHosts: readonly string[];
  proxies: number;
};

/** Whether nobody but this machine reaches the floor: it is neither bound elsewhere nor behind a proxy. */
export function isLoopbackOnly({ host, url, allowHosts, proxies }: Listening): boolean {
  return (
    (host === undefined || isLoopback(host)) && isLoopbackUrl(url) && proxies === 0 && allowHosts.every(isLoopback)
  );
}

/**
 * Whether an agent of this machine has only changed its port. People do not move, as their addresses are this floor's, and
 * neither do the agents that live at this floor.
 */
export function isLoopbackMove({ speakerUri, serviceUrl }: Binding, boundTo: string, floorUrl: string): boolean {
  if (!isLoopbackUrl(serviceUrl) || !isLoopbackUrl(boundTo)) return false;
  if (withoutPort(serviceUrl) !== withoutPort(boundTo)) return false;
  const isRelay = speakerIn(boundTo.slice(boundTo.lastIndexOf("/") + 1)) === speakerUri;
  return !isRelay && originOf(boundTo) !== originOf(floorUrl);
}

function withoutPort(url: string): string {
  return canonicalAddress(url).replace(/^(\w+:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^/:?#]*)):\d+/u, "$1");
}

/** Scheme, host and port, in one spelling. */
function originOf(url: string): string {
  return canonicalAddress(new URL("/", url).href);
}
