import { hasEnded, isLoopback, isLoopbackUrl } from "@plenary/server";
import { bindMistakes, type Configuration, hasWayIn, wayInFix } from "../configuration.ts";
import { type Finding, ok, type Sight, unsafe, warning } from "./finding.ts";

/** How others come in. */
export function checkNetwork(sight: Sight): Finding[] {
  const { configured, namedStore } = sight;
  // What cannot be read is told elsewhere.
  if (!configured.ok) return [];
  const { configuration } = configured;
  const way = { hasLiveKey: hasKey(sight), store: namedStore };
  return [
    checkPublicUrl(configuration),
    ...checkBind(configuration, way),
    ...checkWayIn(configuration, way),
    ...checkProxies(configuration),
  ];
}

type WayIn = { hasLiveKey: boolean; store: string | undefined };

function hasKey({ store, now }: Sight): boolean {
  return store.kind === "kept" && store.survey.keys.some((key) => !hasEnded(key, now));
}

function checkPublicUrl({ publicUrl }: Configuration): Finding {
  const id = "public-url";
  if (publicUrl === undefined) return ok(id, "no address for others is set");
  if (isLoopbackUrl(publicUrl) || publicUrl.startsWith("https:")) return ok(id, `others use ${publicUrl}`);
  const what = `${publicUrl} is plain http: what is said, and every key, can be read and changed on the way`;
  return unsafe(id, what, "put a proxy with a certificate before the floor and set PLENARY_PUBLIC_URL=https://...");
}

function checkBind(configuration: Configuration, way: WayIn): Finding[] {
  const id = "bind";
  const mistakes = bindMistakes(configuration, way);
  if (mistakes.length > 0) {
    return mistakes.map(({ name, problem, fix }) => unsafe(id, `${name} ${problem} (plenary serve refuses)`, fix));
  }
  const { host } = configuration;
  return [
    ok(id, isLoopback(host) ? "it listens for this machine only" : `it listens on ${host}, and others have keys`),
  ];
}

function checkWayIn(configuration: Configuration, way: WayIn): Finding[] {
  const id = "way-in";
  const isBindWrong = bindMistakes(configuration, way).length > 0;
  if (configuration.mode === "local" || isBindWrong) return [];
  if (hasWayIn(configuration, way.hasLiveKey)) return [ok(id, "others can prove who they are")];
  const what = "the operator's token is the only way in, and whoever has it may speak for anyone";
  return [warning(id, what, wayInFix(way.store))];
}

function checkProxies({ publicUrl, host, proxies }: Configuration): Finding[] {
  const id = "proxies";
  if (proxies === undefined && publicUrl?.startsWith("https:") === true) {
    // The floor itself speaks no TLS.
    const what =
      "something before the floor speaks https for it, and all who come through it share one address: one who guesses at keys locks everybody out";
    return [warning(id, what, "set PLENARY_PROXIES to how many proxies of yours stand before it, such as 1")];
  }
  if ((proxies ?? 0) > 0 && !isLoopback(host)) {
    const what =
      "X-Forwarded-For is believed, and whoever reaches the port past the proxy can write into it what it likes";
    return [warning(id, what, "listen on 127.0.0.1, or let nobody but the proxy reach the port")];
  }
  return [ok(id, `${proxies ?? 0} proxies are believed`)];
}
