import { canonicalAddress } from "@plenary/protocol";
import { speakerIn } from "../ports/relay-address.ts";
import type { Binding } from "../ports/store.ts";
import { isLoopback, isLoopbackUrl } from "./client-address.ts";

type ListenState = {
  /** The address it listens on; undefined where only its own process calls it. */
  host?: string;
  url: string;
  allowHosts: readonly string[];
  proxies: number;
};

/** Whether only this machine reaches the floor: it listens on loopback and has no proxy. */
export function isLoopbackOnly({ host, url, allowHosts, proxies }: ListenState): boolean {
  return (
    (host === undefined || isLoopback(host)) && isLoopbackUrl(url) && proxies === 0 && allowHosts.every(isLoopback)
  );
}

/**
 * Whether an agent of this machine has only changed its port. People and hosted agents never move: their addresses belong
 * to this floor.
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

/** Scheme, host and port, normalized. */
function originOf(url: string): string {
  return canonicalAddress(new URL("/", url).href);
}
