import { expect, test } from "vitest";
import { configErrorText } from "../errors.ts";
import { bindErrors, type Configuration, issuerHosts, parseConfiguration } from "./configuration.ts";

type Env = Record<string, string>;

function read(env: Env, host = "127.0.0.1"): Configuration {
  const parsed = parseConfiguration({ host }, env);
  if (!parsed.ok) throw new Error(parsed.errors.map(configErrorText).join("\n"));
  return parsed.configuration;
}

function mistakesIn(env: Env, host = "127.0.0.1"): string[] {
  const parsed = parseConfiguration({ host }, env);
  return parsed.ok ? [] : parsed.errors.map(configErrorText);
}

const publicUrl = "https://floor.example";
const PLENARY_PUBLIC_URL = publicUrl;

test("nothing needs to be set on loopback", () => {
  expect(read({})).toEqual({ mode: "local", host: "127.0.0.1", allowHosts: [], allowCidrs: [] });
});

test("an empty variable counts as not set", () => {
  const names = ["PUBLIC_URL", "PROXIES", "OIDC_ISSUER", "JWT_ISSUER", "ALLOW_HOSTS", "INSECURE_HTTP", "SPEAKER_URI"];
  expect(read(Object.fromEntries(names.map((name) => [`PLENARY_${name}`, " "])))).toEqual(read({}));
});

test.each([
  ["local", "127.0.0.1", {}],
  ["local", "localhost", { PLENARY_PUBLIC_URL: "http://localhost:7536" }],
  ["local", "::1", { PLENARY_PUBLIC_URL: "http://[::1]:7536/" }],
  ["production", "127.0.0.1", { PLENARY_PUBLIC_URL }],
  ["production", "0.0.0.0", {}],
  ["production", "", {}],
  ["production", "127.0.0.1.evil.example", {}],
  ["production", "0.0.0.0", { PLENARY_PUBLIC_URL: "http://127.0.0.1:7536" }],
])("it is %s on %j with %j", (mode, host, env: Env) => {
  expect(read(env, host).mode).toBe(mode);
});

test("all settings are parsed", () => {
  const env = {
    PLENARY_PUBLIC_URL: " https://Floor.Example:443/ ",
    PLENARY_SPEAKER_URI: "tag:floor.example,2026:plenary",
    PLENARY_PROXIES: "2",
    PLENARY_ALLOW_HOSTS: "Bot.Internal., bot.internal:08443,[FD00::5]:80,2130706433:9000,",
    PLENARY_ALLOW_CIDRS: "10.1.0.0/16, fd00:1::/32",
    PLENARY_OIDC_ISSUER: "https://id.example/realms/a",
    PLENARY_OIDC_CLIENT_ID: "floor",
    PLENARY_OIDC_CLIENT_SECRET: "hush\n",
    PLENARY_OIDC_ALLOW: " Ann@Example.com, @example.org,sub:a/1,",
    PLENARY_TOKEN: " a-token-of-my-own\n",
    PLENARY_JWT_ISSUER: "https://jwt.example",
    PLENARY_JWKS_URL: "http://127.0.0.1:9000/keys",
  };
  expect(read(env)).toEqual({
    mode: "production",
    host: "127.0.0.1",
    publicUrl,
    speakerUri: "tag:floor.example,2026:plenary",
    proxies: 2,
    allowHosts: ["bot.internal", "bot.internal:8443", "[fd00::5]:80", "127.0.0.1:9000"],
    allowCidrs: ["10.1.0.0/16", "fd00:1::/32"],
    signIn: {
      issuer: "https://id.example/realms/a",
      clientId: "floor",
      clientSecret: "hush",
      allow: ["Ann@Example.com", "@example.org", "sub:a/1"],
    },
    token: "a-token-of-my-own",
    jwt: { issuer: "https://jwt.example", jwksUrl: "http://127.0.0.1:9000/keys", audience: publicUrl },
  });
  expect(issuerHosts(read(env))).toEqual(["id.example:443", "127.0.0.1:9000"]);
  expect(read({ ...env, PLENARY_JWT_AUDIENCE: "floor" }).jwt?.audience).toBe("floor");
  expect(read({ ...env, PLENARY_JWT_TYP: "AT+jwt " }).jwt?.typ).toBe("at+jwt");
});

const oidc = {
  PLENARY_OIDC_ISSUER: "https://id.example",
  PLENARY_OIDC_CLIENT_ID: "floor",
  PLENARY_OIDC_ALLOW: "@example.com",
};
const jwt = { PLENARY_JWT_ISSUER: "https://id.example", PLENARY_JWKS_URL: "https://id.example/keys" };

test.each<[string, Env, string]>([
  [
    "a host alone",
    { PLENARY_PUBLIC_URL: "floor.example" },
    "not an http or https URL: give a full URL, such as https://floor.example",
  ],
  ["another scheme", { PLENARY_PUBLIC_URL: "ws://floor.example" }, 'PLENARY_PUBLIC_URL is "ws://floor.example"'],
  ["a URL without slashes", { PLENARY_PUBLIC_URL: "https:floor.example" }, "not an http or https URL"],
  [
    "a path",
    { PLENARY_PUBLIC_URL: `${publicUrl}/floor` },
    "a floor cannot run below a path; give https://floor.example",
  ],
  ["a query", { PLENARY_PUBLIC_URL: `${publicUrl}/?` }, "more than a scheme, a host and a port"],
  ["a fragment", { PLENARY_PUBLIC_URL: `${publicUrl}#a` }, "more than a scheme, a host and a port"],
  ["a password", { PLENARY_PUBLIC_URL: "https://ann:hush@floor.example" }, "it is public; give https://floor.example"],
  [
    "plain http",
    { PLENARY_PUBLIC_URL: "http://floor.example" },
    "give https://floor.example, or set PLENARY_INSECURE_HTTP=1",
  ],
  ["half a yes", { PLENARY_INSECURE_HTTP: "yes" }, 'PLENARY_INSECURE_HTTP is "yes": set it to 1, or leave it out'],
  ["a name that is no URI", { PLENARY_SPEAKER_URI: "my floor" }, 'PLENARY_SPEAKER_URI is "my floor": give a URI'],
  ["too many proxies", { PLENARY_PROXIES: "10" }, 'PLENARY_PROXIES is "10"'],
  ["proxies by name", { PLENARY_PROXIES: "nginx" }, "the number of your proxies in front of this floor, 0 to 9"],
  ["a loud log", { PLENARY_LOG_LEVEL: "loud" }, "give debug, info, warn, error or silent"],
  ["a log in XML", { PLENARY_LOG_FORMAT: "xml" }, 'PLENARY_LOG_FORMAT is "xml": give json or pretty'],
  ["a URL among hosts", { PLENARY_ALLOW_HOSTS: "https://bot.example/" }, "leave the scheme and the path out"],
  ["a pattern of hosts", { PLENARY_ALLOW_HOSTS: "*.example" }, "name each host"],
  ["a bare IPv6 host", { PLENARY_ALLOW_HOSTS: "fd00::5" }, "put an IPv6 address in brackets: [fd00::5]"],
  ["a range among hosts", { PLENARY_ALLOW_HOSTS: "10.0.0.0/8" }, "a range in PLENARY_ALLOW_CIDRS"],
  ["a port too high", { PLENARY_ALLOW_HOSTS: "bot.example:70000" }, 'PLENARY_ALLOW_HOSTS has "bot.example:70000"'],
  ["port 0", { PLENARY_ALLOW_HOSTS: "bot.example:0" }, "give a host, or a host and a port"],
  ["a user among hosts", { PLENARY_ALLOW_HOSTS: "ann:hush@bot.example" }, 'PLENARY_ALLOW_HOSTS has "...@bot.example"'],
  ["an address without a range", { PLENARY_ALLOW_CIDRS: "10.0.0.5" }, "10.0.0.5/32 is that address alone"],
  ["a range too long", { PLENARY_ALLOW_CIDRS: "10.0.0.0/33" }, "a prefix length from 0 to 32"],
  ["a range of names", { PLENARY_ALLOW_CIDRS: "bot.example/8" }, "names go into PLENARY_ALLOW_HOSTS"],
  ["IPv4 in IPv6", { PLENARY_ALLOW_CIDRS: "::ffff:10.0.0.0/104" }, "write IPv4 as IPv4"],
  [
    "an issuer without a client",
    { PLENARY_PUBLIC_URL, PLENARY_OIDC_ISSUER: "https://id.example" },
    "PLENARY_OIDC_CLIENT_ID is missing, though PLENARY_OIDC_ISSUER is set",
  ],
  [
    "a client without an issuer",
    { PLENARY_PUBLIC_URL, PLENARY_OIDC_CLIENT_ID: "floor" },
    "PLENARY_OIDC_ISSUER is missing, though PLENARY_OIDC_CLIENT_ID is set",
  ],
  [
    "an issuer in the clear",
    { PLENARY_PUBLIC_URL, ...oidc, PLENARY_OIDC_ISSUER: "http://id.example" },
    "give an https URL",
  ],
  ["signing in to nowhere", oidc, "set PLENARY_PUBLIC_URL too"],
  [
    "sign-in without a list",
    { PLENARY_PUBLIC_URL, ...oidc, PLENARY_OIDC_ALLOW: " , " },
    "PLENARY_OIDC_ALLOW is missing, so it is not clear who may sign in: list them, as in ann@example.com,@example.com,sub:123",
  ],
  [
    "a list of people and nowhere to sign in",
    { PLENARY_PUBLIC_URL, PLENARY_OIDC_ALLOW: "*", PLENARY_OIDC_ISSUER: "https://id.example" },
    "PLENARY_OIDC_CLIENT_ID is missing, though PLENARY_OIDC_ISSUER and PLENARY_OIDC_ALLOW are set",
  ],
  [
    "a domain that lacks its @",
    { PLENARY_PUBLIC_URL, ...oidc, PLENARY_OIDC_ALLOW: "example.com" },
    'PLENARY_OIDC_ALLOW has "example.com": give ann@example.com',
  ],
  [
    "a pattern of people",
    { PLENARY_PUBLIC_URL, ...oidc, PLENARY_OIDC_ALLOW: "*@example.com" },
    'PLENARY_OIDC_ALLOW has "*@example.com": give ann@example.com',
  ],
  [
    "a token with a gap",
    { PLENARY_TOKEN: "hush hush" },
    "PLENARY_TOKEN has a space or another character that is not allowed in a header",
  ],
  [
    "keys without an issuer",
    { PLENARY_PUBLIC_URL, PLENARY_JWKS_URL: "https://id.example/keys" },
    "PLENARY_JWT_ISSUER is missing, though PLENARY_JWKS_URL is set",
  ],
  [
    "an issuer without keys",
    { PLENARY_PUBLIC_URL, PLENARY_JWT_ISSUER: "https://id.example" },
    "PLENARY_JWKS_URL is missing",
  ],
  ["tokens without an audience", jwt, "set PLENARY_JWT_AUDIENCE or PLENARY_PUBLIC_URL"],
  [
    "keys in the clear",
    { PLENARY_PUBLIC_URL, ...jwt, PLENARY_JWKS_URL: "http://id.example/keys" },
    'PLENARY_JWKS_URL is "http://id.example/keys"',
  ],
  [
    "an unknown token type",
    { PLENARY_PUBLIC_URL, ...jwt, PLENARY_JWT_TYP: "id" },
    'PLENARY_JWT_TYP is "id": give at+jwt or JWT, or leave it out to accept both',
  ],
])("%s is one error with a fix", (_name, env, words) => {
  expect(mistakesIn(env)).toEqual([expect.stringContaining(words)]);
});

test("options of the log override variables", () => {
  const env = { PLENARY_LOG_LEVEL: "debug", PLENARY_LOG_FORMAT: "json" };
  expect(read(env).log).toEqual({ level: "debug", format: "json" });
  const parsed = parseConfiguration({ host: "127.0.0.1", logLevel: "error", logFormat: "pretty" }, env);
  expect(parsed).toMatchObject({ configuration: { log: { level: "error", format: "pretty" } } });
});

test("all errors are reported at once, without passwords", () => {
  const env = {
    PLENARY_PUBLIC_URL: "ann:hush@floor.example",
    PLENARY_PROXIES: "many",
    PLENARY_OIDC_CLIENT_SECRET: "hush",
    PLENARY_JWT_AUDIENCE: "floor",
  };
  const errors = mistakesIn(env);
  expect(errors.map((error) => error.split(" ")[0])).toEqual([
    ...["PLENARY_PUBLIC_URL", "PLENARY_PROXIES", "PLENARY_OIDC_ISSUER", "PLENARY_OIDC_CLIENT_ID"],
    ...["PLENARY_JWT_ISSUER", "PLENARY_JWKS_URL"],
  ]);
  expect(errors.join("\n")).not.toContain("hush");
});

test("PLENARY_INSECURE_HTTP=1 allows plain http", () => {
  const env = { PLENARY_PUBLIC_URL: "http://floor.example", PLENARY_INSECURE_HTTP: "1" };
  expect(read(env)).toMatchObject({ mode: "production", publicUrl: "http://floor.example" });
});

function refusals(
  env: Env,
  { hasLiveKey = false, store }: { hasLiveKey?: boolean; store?: string } = {},
  host = "0.0.0.0",
) {
  return bindErrors(read(env, host), { hasLiveKey, store }).map(configErrorText);
}

const noAddress = expect.stringContaining("PLENARY_PUBLIC_URL=https://floor.example");
const noKey = expect.stringContaining("plenary keys add --speaker tag:");

test.each<[string, Env, boolean, unknown[]]>([
  ["with nothing", {}, false, [noAddress, noKey]],
  ["with a key alone", {}, true, [noAddress]],
  ["with an address alone", { PLENARY_PUBLIC_URL }, false, [noKey]],
  ["with an address and a key", { PLENARY_PUBLIC_URL }, true, []],
  ["with an address and a provider to sign in with", { PLENARY_PUBLIC_URL, ...oidc }, false, []],
  ["with an address and an issuer of tokens", { PLENARY_PUBLIC_URL, ...jwt }, false, []],
])("other machines are let in or not %s", (_name, env, hasLiveKey, expected) => {
  expect(refusals(env, { hasLiveKey })).toEqual(expected);
});

test("a loopback floor needs no keys and no public address", () => {
  expect(refusals({}, {}, "127.0.0.1")).toEqual([]);
});

test("the suggested command uses the given store", () => {
  expect(refusals({ PLENARY_PUBLIC_URL }, { store: "my floor.db" })).toEqual([
    expect.stringContaining("plenary keys add --store 'my floor.db' --speaker tag:"),
  ]);
  expect(refusals({ PLENARY_PUBLIC_URL }, { store: ":memory:" })).toEqual([
    expect.stringContaining("keep the floor in a file (--store FILE) and create a key:  plenary keys add --store FILE"),
  ]);
});

test.each<[string, Env, string | undefined]>([
  ["nowhere when nothing is said", {}, undefined],
  [
    "below the address of the collector",
    { OTEL_EXPORTER_OTLP_ENDPOINT: " http://127.0.0.1:4318 " },
    "http://127.0.0.1:4318/v1/traces",
  ],
  [
    "below the path of that address",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example/a/", OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
    "https://otel.example/a/v1/traces",
  ],
  [
    "exactly where traces are to go",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "grpc:x", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://otel.example/t" },
    "https://otel.example/t",
  ],
  ["nowhere when it is set to nothing", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, undefined],
  ["nowhere when traces are off", { OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_TRACES_EXPORTER: "none" }, undefined],
  ["nowhere when all of it is off", { OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_SDK_DISABLED: "TRUE" }, undefined],
])("spans go %s", (_, env, url) => {
  expect(read(env).traces?.url).toBe(url);
});

test.each<[string, Env, string]>([
  [
    "an address without a scheme",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318", which is not an http or https URL: give a full URL, such as http://127.0.0.1:4318',
  ],
  [
    "a password in the address",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://me:hush@otel.example/" },
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has a user name or a password: put credentials into OTEL_EXPORTER_OTLP_HEADERS",
  ],
  [
    "another protocol",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": spans are sent over HTTP: set it to http/json and give the collector\'s HTTP address (port 4318)',
  ],
])("%s keeps spans, and so the floor, from going anywhere", (_, env, error) => {
  expect(mistakesIn(env)).toEqual([error]);
});
