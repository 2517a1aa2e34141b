import { hasEnded, isLoopback, isLoopbackUrl } from "@plenary/server";
import { bindErrors, type Configuration, credentialFix, hasClientCredentials } from "../../config/configuration.ts";
import { type Finding, type Inspection, ok, unsafe, warning } from "../findings.ts";

/** How clients reach the floor and authenticate. */
export function checkNetwork(inspection: Inspection): Finding[] {
  const { configured, namedStore } = inspection;
  // checkConfiguration reports the errors.
  if (!configured.ok) return [];
  const { configuration } = configured;
  const way = { hasLiveKey: hasKey(inspection), store: namedStore };
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
  if (publicUrl === undefined) return ok(id, "no public address is set");
  if (isLoopbackUrl(publicUrl) || publicUrl.startsWith("https:")) return ok(id, `the public address is ${publicUrl}`);
  const what = `${publicUrl} is plain http: messages and keys can be read and changed in transit`;
  return unsafe(id, what, "put a TLS proxy in front of the floor and set PLENARY_PUBLIC_URL=https://...");
}

function checkBind(configuration: Configuration, way: CredentialFacts): Finding[] {
  const id = "bind";
  const errors = bindErrors(configuration, way);
  if (errors.length > 0) {
    return errors.map(({ name, problem, fix }) => unsafe(id, `${name} ${problem} (plenary serve refuses)`, fix));
  }
  const { host } = configuration;
  return [
    ok(id, isLoopback(host) ? "it listens on this machine only" : `it listens on ${host}, and clients have keys`),
  ];
}

function checkCredentials(configuration: Configuration, way: CredentialFacts): Finding[] {
  const id = "way-in";
  const isBindWrong = bindErrors(configuration, way).length > 0;
  if (configuration.mode === "local" || isBindWrong) return [];
  if (hasClientCredentials(configuration, way.hasLiveKey)) return [ok(id, "clients can authenticate")];
  const what = "the operator's token is the only credential, and it may speak for anyone";
  return [warning(id, what, credentialFix(way.store))];
}

function checkProxies({ publicUrl, host, proxies }: Configuration): Finding[] {
  const id = "proxies";
  if (proxies === undefined && publicUrl?.startsWith("https:") === true) {
    // The floor itself has no TLS.
    const what =
      "a proxy in front of the floor speaks https for it, so all clients share one address: one client that guesses keys locks out all";
    return [warning(id, what, "set PLENARY_PROXIES to the number of your proxies, such as 1")];
  }
  if ((proxies ?? 0) > 0 && !isLoopback(host)) {
    const what = "X-Forwarded-For is trusted, and a client that bypasses the proxy can forge it";
    return [warning(id, what, "listen on 127.0.0.1, or let only the proxy reach the port")];
  }
  return [ok(id, `${proxies ?? 0} proxies are trusted`)];
}

/** Issuers where anyone can create an account. */
const publicIssuers = [
  /^https:\/\/accounts\.google\.com\//u,
  // The GUID is the tenant of all personal accounts.
  /^https:\/\/login\.microsoftonline\.com\/(?:common|consumers|organizations|9188040d-6c67-4c5b-b112-36a304b66dad)\//u,
  /^https:\/\/login\.live\.com\//u,
  /^https:\/\/(?:token\.actions\.githubusercontent|github)\.com\//u,
  /^https:\/\/gitlab\.com\//u,
  /^https:\/\/(?:appleid|account)\.apple\.com\//u,
  /^https:\/\/(?:www\.facebook|www\.linkedin|api\.login\.yahoo|discord)\.com\//u,
  /^https:\/\/id\.twitch\.tv\//u,
];

/** Which accounts of the issuer may sign in and start conversations. */
export function checkSignIn({ configured }: Inspection): Finding[] {
  const signIn = configured.ok ? configured.configuration.signIn : undefined;
  if (signIn === undefined) return [];
  const id = "sign-in";
  const { issuer, allow } = signIn;
  if (!allow.includes("*")) return [ok(id, `${allow.length} rules limit who may sign in`)];
  const fix = "list who may sign in in PLENARY_OIDC_ALLOW: ann@example.com, @example.com or sub:ID, comma-separated";
  const what = `every account of ${issuer} may sign in and start conversations`;
  const { href } = new URL(`${issuer.replace(/\/$/u, "")}/`);
  if (!publicIssuers.some((known) => known.test(href))) return [warning(id, what, fix)];
  return [unsafe(id, `${what}, and anyone can create an account there`, fix)];
}
