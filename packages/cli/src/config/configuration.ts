import { isUri } from "@plenary/api";
import { isLoopback, isLoopbackUrl, type TokenType, tokenTypes } from "@plenary/server";
import { type LlmChoice, llmIn } from "../agent/llm-settings.ts";
import { type ConfigError, quoted } from "../errors.ts";
import { envValue, type Io } from "../io.ts";
import { httpUrlOf } from "../options.ts";
import { shellQuote } from "../output/format.ts";
import { cidrsIn, hostsIn, signInRulesIn } from "./allow-list.ts";
import { type LogChoice, logFormats, logLevels } from "./logging.ts";
import { type TracesChoice, tracesIn } from "./tracing.ts";

/** The settings of a floor, parsed from options and environment. */
export type Configuration = {
  /** Local: clients on this machine only. Production: clients elsewhere. Decides what may be dialled (D32). */
  mode: "local" | "production";
  host: string;
  publicUrl?: string;
  speakerUri?: string;
  /** The operator's token. */
  token?: string;
  /** Undefined and 0 differ: 0 is the operator's explicit choice. */
  proxies?: number;
  allowHosts: readonly string[];
  allowCidrs: readonly string[];
  signIn?: { issuer: string; clientId: string; clientSecret?: string; allow: readonly string[] };
  jwt?: { issuer: string; jwksUrl: string; audience: string; typ?: TokenType };
  /** The model hosted as an agent. */
  llm?: LlmChoice;
  /** The collector that spans are exported to. */
  traces?: TracesChoice;
  /** What is logged to standard error, and in which form. */
  log?: LogChoice;
};

type Options = { host: string; speaker?: string; logLevel?: LogChoice["level"]; logFormat?: LogChoice["format"] };

export type ParsedConfiguration = { ok: true; configuration: Configuration } | { ok: false; errors: ConfigError[] };

type Env = Io["env"];

/** Reports all errors at once. */
export function parseConfiguration(options: Options, env: Env): ParsedConfiguration {
  const { host } = options;
  const errors: ConfigError[] = [];
  const publicUrl = publicUrlIn(env, errors);
  const speakerUri = options.speaker ?? checkedIn("PLENARY_SPEAKER_URI", env, errors);
  const token = checkedIn("PLENARY_TOKEN", env, errors);
  const proxies = checkedIn("PLENARY_PROXIES", env, errors);
  const allowHosts = hostsIn(env, errors);
  const allowCidrs = cidrsIn(env, errors);
  const signIn = signInIn(env, errors);
  const jwt = jwtIn(env, publicUrl, errors);
  const llm = llmIn(env, errors);
  const traces = tracesIn(env, errors);
  const log = logIn(options, env, errors);
  if (errors.length > 0) return { ok: false, errors };
  const isLocal = isLoopback(host) && (publicUrl === undefined || isLoopbackUrl(publicUrl));
  const configuration: Configuration = {
    mode: isLocal ? "local" : "production",
    host,
    allowHosts,
    allowCidrs,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(speakerUri !== undefined && { speakerUri }),
    ...(token !== undefined && { token }),
    ...(proxies !== undefined && { proxies: Number(proxies) }),
    ...(signIn !== undefined && { signIn }),
    ...(jwt !== undefined && { jwt }),
    ...(llm !== undefined && { llm }),
    ...(traces !== undefined && { traces }),
    ...(log !== undefined && { log }),
  };
  return { ok: true, configuration };
}

function publicUrlIn(env: Env, errors: ConfigError[]): string | undefined {
  const name = "PLENARY_PUBLIC_URL";
  const isInsecureFine = checkedIn("PLENARY_INSECURE_HTTP", env, errors) === "1";
  const text = envValue(env, name);
  if (text === undefined) return undefined;
  const wrong = (problem: string, fix: string) => void errors.push({ name, problem, fix });
  const url = httpUrlOf(text);
  if (url === undefined) {
    wrong(`is ${quoted(text)}, which is not an http or https URL`, "give a full URL, such as https://floor.example");
  } else if (url.username !== "" || url.password !== "") {
    wrong("has a user name or a password", `it is public; give ${url.origin}`);
  } else if (url.pathname !== "/" || /[?#]/u.test(text)) {
    wrong("is more than a scheme, a host and a port", `a floor cannot run below a path; give ${url.origin}`);
  } else if (url.protocol === "http:" && !isLoopbackUrl(url.origin) && !isInsecureFine) {
    const fix = `give https://${url.host}, or set PLENARY_INSECURE_HTTP=1 on a trusted network`;
    wrong("is plain http, so messages and keys can be read in transit", fix);
  }
  return url?.origin;
}

type Check = { isValid: (text: string) => boolean; fix: string; problem?: string };

const checks = {
  PLENARY_INSECURE_HTTP: { isValid: (text) => /^[01]$/u.test(text), fix: "set it to 1, or leave it out" },
  PLENARY_SPEAKER_URI: { isValid: isUri, fix: "give a URI, such as tag:floor.example,2026:plenary" },
  PLENARY_TOKEN: {
    isValid: (text) => /^[\x21-\x7e]+$/u.test(text),
    problem: "has a space or another character that is not allowed in a header",
    fix: "create one, such as  openssl rand -base64 32",
  },
  PLENARY_PROXIES: {
    isValid: (text) => /^\d$/u.test(text),
    fix: "give the number of your proxies in front of this floor, 0 to 9",
  },
  PLENARY_LOG_LEVEL: {
    isValid: (text) => logLevels.some((level) => level === text),
    fix: `give ${choiceText(logLevels)}`,
  },
  PLENARY_LOG_FORMAT: {
    isValid: (text) => logFormats.some((format) => format === text),
    fix: `give ${choiceText(logFormats)}`,
  },
  PLENARY_JWT_TYP: {
    isValid: (text) => tokenTypeOf(text) !== undefined,
    fix: `give ${tokenTypes.join(" or ")}, or leave it out to accept both`,
  },
} as const satisfies Record<string, Check>;

/** The value of a variable. An invalid one is returned too: `errors` decides. */
function checkedIn(name: keyof typeof checks, env: Env, errors: ConfigError[]): string | undefined {
  const text = envValue(env, name);
  const { isValid, fix, problem }: Check = checks[name];
  if (text !== undefined && !isValid(text)) errors.push({ name, problem: problem ?? `is ${quoted(text)}`, fix });
  return text;
}

function choiceText(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

/** Options override variables. */
function logIn({ logLevel, logFormat }: Omit<Options, "host">, env: Env, errors: ConfigError[]): LogChoice | undefined {
  const levelText = logLevel ?? checkedIn("PLENARY_LOG_LEVEL", env, errors);
  const formatText = logFormat ?? checkedIn("PLENARY_LOG_FORMAT", env, errors);
  const level = logLevels.find((one) => one === levelText);
  const format = logFormats.find((one) => one === formatText);
  if (level === undefined && format === undefined) return undefined;
  return { ...(level !== undefined && { level }), ...(format !== undefined && { format }) };
}

function tokenTypeOf(text: string): TokenType | undefined {
  return tokenTypes.find((one) => one.toLowerCase() === text.toLowerCase());
}

function signInIn(env: Env, errors: ConfigError[]): Configuration["signIn"] {
  const more = ["PLENARY_OIDC_CLIENT_SECRET", "PLENARY_OIDC_ALLOW"];
  const pair = pairIn(env, ["PLENARY_OIDC_ISSUER", "PLENARY_OIDC_CLIENT_ID"], more, errors);
  if (pair === undefined) return undefined;
  const [issuer, clientId] = pair;
  const clientSecret = envValue(env, "PLENARY_OIDC_CLIENT_SECRET");
  checkIssuerUrl("PLENARY_OIDC_ISSUER", issuer, errors);
  if (envValue(env, "PLENARY_PUBLIC_URL") === undefined) {
    const problem = "is set, but the provider needs an address to send people back to";
    errors.push({ name: "PLENARY_OIDC_ISSUER", problem, fix: "set PLENARY_PUBLIC_URL too" });
  }
  return { issuer, clientId, ...(clientSecret !== undefined && { clientSecret }), allow: allowIn(env, errors) };
}

/** Required, so that a missing line does not open the floor to every account of the provider. */
function allowIn(env: Env, errors: ConfigError[]): string[] {
  const name = "PLENARY_OIDC_ALLOW";
  const known = errors.length;
  const allow = signInRulesIn(env, errors);
  if (allow.length === 0 && errors.length === known) {
    const fix = "list them, as in ann@example.com,@example.com,sub:123; * allows every account of the provider";
    errors.push({ name, problem: "is missing, so it is not clear who may sign in", fix });
  }
  return allow;
}

function jwtIn(env: Env, publicUrl: string | undefined, errors: ConfigError[]): Configuration["jwt"] {
  const pair = pairIn(
    env,
    ["PLENARY_JWT_ISSUER", "PLENARY_JWKS_URL"],
    ["PLENARY_JWT_AUDIENCE", "PLENARY_JWT_TYP"],
    errors,
  );
  if (pair === undefined) return undefined;
  const [issuer, jwksUrl] = pair;
  const audience = envValue(env, "PLENARY_JWT_AUDIENCE") ?? publicUrl;
  checkIssuerUrl("PLENARY_JWKS_URL", jwksUrl, errors);
  const typ = tokenTypeOf(checkedIn("PLENARY_JWT_TYP", env, errors) ?? "");
  if (audience !== undefined) return { issuer, jwksUrl, audience, ...(typ !== undefined && { typ }) };
  const problem = "is set, but it is not clear which tokens of that issuer are for this floor";
  errors.push({ name: "PLENARY_JWT_ISSUER", problem, fix: "set PLENARY_JWT_AUDIENCE or PLENARY_PUBLIC_URL" });
  return undefined;
}

type Pair = [first: string, second: string];

/** Two variables that need each other, and `more` that need both. */
function pairIn(env: Env, names: Pair, more: readonly string[], errors: ConfigError[]): Pair | undefined {
  const [first, second] = [envValue(env, names[0]), envValue(env, names[1])];
  if (first !== undefined && second !== undefined) return [first, second];
  const isSet = [...names, ...more].filter((name) => envValue(env, name) !== undefined);
  if (isSet.length === 0) return undefined;
  for (const name of names.filter((one) => envValue(env, one) === undefined)) {
    const fix = `set ${name}, or leave ${isSet.join(" and ")} out`;
    const problem = `is missing, though ${isSet.join(" and ")} ${isSet.length > 1 ? "are" : "is"} set`;
    errors.push({ name, problem, fix });
  }
  return undefined;
}

/** Requires https: a plain http response of an issuer could be forged in transit. */
function checkIssuerUrl(name: string, text: string, errors: ConfigError[]): void {
  const url = httpUrlOf(text);
  const isSafe = url !== undefined && (url.protocol === "https:" || isLoopbackUrl(url.href));
  if (isSafe && url.username === "" && url.password === "") return;
  const fix = "give an https URL without user name and password (plain http only on this machine)";
  errors.push({ name, problem: `is ${quoted(text)}`, fix });
}

/** Hosts the operator configured may be dialled at any address (D32). */
export function issuerHosts({ signIn, jwt }: Configuration): string[] {
  return [signIn?.issuer, jwt?.jwksUrl].filter((url) => url !== undefined).map(hostAndPort);
}

function hostAndPort(text: string): string {
  const { protocol, hostname, port } = new URL(text);
  const isHttps = protocol === "https:";
  return `${hostname.replace(/\.$/u, "")}:${port === "" ? (isHttps ? 443 : 80) : port}`;
}

/** Whether clients other than the operator can authenticate. */
export function hasClientCredentials({ signIn, jwt }: Configuration, hasLiveKey: boolean): boolean {
  return hasLiveKey || signIn !== undefined || jwt !== undefined;
}

/** Errors that keep a floor from listening for other machines. `store` is the value of the option or variable. */
export function bindErrors(
  configuration: Configuration,
  { hasLiveKey, store }: { hasLiveKey: boolean; store: string | undefined },
): ConfigError[] {
  const { host, publicUrl } = configuration;
  if (isLoopback(host)) return [];
  const errors: ConfigError[] = [];
  const name = `--host ${shellQuote(host)}`;
  if (publicUrl === undefined) {
    const problem = "opens the floor to other machines, but it has no public address";
    errors.push({ name, problem, fix: "set it, such as PLENARY_PUBLIC_URL=https://floor.example" });
  }
  if (!hasClientCredentials(configuration, hasLiveKey)) {
    const problem = "opens the floor to other machines, but only the operator's token can authenticate them";
    errors.push({ name, problem, fix: credentialFix(store) });
  }
  return errors;
}

export function credentialFix(store: string | undefined): string {
  const place = store === undefined ? "" : ` --store ${store === ":memory:" ? "FILE" : shellQuote(store)}`;
  const made = `create a key:  plenary keys add${place} --speaker tag:you.example,2026:you`;
  const before = store === ":memory:" ? "keep the floor in a file (--store FILE) and " : "";
  return `${before}${made}  (or let people sign in: PLENARY_OIDC_ISSUER, PLENARY_OIDC_CLIENT_ID and PLENARY_OIDC_ALLOW; or PLENARY_JWT_ISSUER and PLENARY_JWKS_URL)`;
}
