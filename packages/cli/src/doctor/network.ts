import { hasEnded, isLoopback, isLoopbackUrl } from "@plenary/server";
import { bindErrors, type Configuration, credentialFix, hasClientCredentials } from "../config/configuration.ts";
import { type Finding, type Inspection, ok, unsafe, warning } from "./findings.ts";

/** How others come in. */
export function checkNetwork(sight: Inspection): Finding[] {
  const { configured, namedStore } = sight;
  // What cannot be read is told elsewhere.
  if (!configured.ok) return [];
  const { configuration } = configured;
  const way = { hasLiveKey: hasKey(sight), store: namedStore };
  return [
    checkPublicUrl(configuration),
    ...checkBind(configuration, way),
    ...checkCredentials(configuration, way),
    ...checkProxies(configuration),
  ];
}

type CredentialFacts = { hasLiveKey: boolean; store: string | undefined };

function hasKey({ store, now }: Inspection): boolean {
  return store.kind === "kept" && store.survey.keys.some((key) => !hasEnded(key, now));
}

function checkPublicUrl({ publicUrl }: Configuration): Finding {
  const id = "public-url";
  if (publicUrl === undefined) return ok(id, "no address for others is set");
  if (isLoopbackUrl(publicUrl) || publicUrl.startsWith("https:")) return ok(id, `others use ${publicUrl}`);
  const what = `${publicUrl} is plain http: what is said, and every key, can be read and changed on the way`;
  return unsafe(id, what, "put a proxy with a certificate before the floor and set PLENARY_PUBLIC_URL=https://...");
}

function checkBind(configuration: Configuration, way: CredentialFacts): Finding[] {
  const id = "bind";
  const errors = bindErrors(configuration, way);
  if (errors.length > 0) {
    return errors.map(({ name, problem, fix }) => unsafe(id, `${name} ${problem} (plenary serve refuses)`, fix));
  }
  const { host } = configuration;
  return [
    ok(id, isLoopback(host) ? "it listens for this machine only" : `it listens on ${host}, and others have keys`),
  ];
}

function checkCredentials(configuration: Configuration, way: CredentialFacts): Finding[] {
  const id = "way-in";
  const isBindWrong = bindErrors(configuration, way).length > 0;
  if (configuration.mode === "local" || isBindWrong) return [];
  if (hasClientCredentials(configuration, way.hasLiveKey)) return [ok(id, "others can prove who they are")];
  const what = "the operator's token is the only way in, and whoever has it may speak for anyone";
  return [warning(id, what, credentialFix(way.store))];
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

/** Whoever likes has an account there, or makes one now. */
const publicIssuers = [
  /^https:\/\/accounts\.google\.com\//u,
  // Its own number is that of all private accounts.
  /^https:\/\/login\.microsoftonline\.com\/(?:common|consumers|organizations|9188040d-6c67-4c5b-b112-36a304b66dad)\//u,
  /^https:\/\/login\.live\.com\//u,
  /^https:\/\/(?:token\.actions\.githubusercontent|github)\.com\//u,
  /^https:\/\/gitlab\.com\//u,
  /^https:\/\/(?:appleid|account)\.apple\.com\//u,
  /^https:\/\/(?:www\.facebook|www\.linkedin|api\.login\.yahoo|discord)\.com\//u,
  /^https:\/\/id\.twitch\.tv\//u,
];

/** Who of all whom an issuer knows may begin conversations here. */
export function checkSignIn({ configured }: Inspection): Finding[] {
  const signIn = configured.ok ? configured.configuration.signIn : undefined;
  if (signIn === undefined) return [];
  const id = "sign-in";
  const { issuer, allow } = signIn;
  if (!allow.includes("*")) return [ok(id, `${allow.length} items say who may sign in`)];
  const fix = "list who may in PLENARY_OIDC_ALLOW: ann@example.com, @example.com or sub:ID, with commas between";
  const what = `everybody whom ${issuer} knows may sign in and begin conversations`;
  const { href } = new URL(`${issuer.replace(/\/$/u, "")}/`);
  if (!publicIssuers.some((known) => known.test(href))) return [warning(id, what, fix)];
  return [unsafe(id, `${what}, and anybody can have an account there`, fix)];
}
