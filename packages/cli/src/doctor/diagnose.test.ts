import type { InspectedKey, SqliteInspection as Sqlite } from "@plenary/server";
import { expect, test } from "vitest";
import { parseConfiguration } from "../config/configuration.ts";
import { diagnose } from "./diagnose.ts";
import type { FileMode, Inspection, StoreInspection } from "./findings.ts";

const now = "2026-03-01T00:00:00.000Z";
const me = 1000;
const place = (path: string, mode: number, uid = me): FileMode => ({ path, mode, uid });

const newest = { version: 2, newestVersion: 2 };
const survey: Sqlite = { ...newest, journalMode: "wal", synchronous: 2, keys: [], unsigned: [], unguarded: 0 };

type Kept = Extract<StoreInspection, { kind: "kept" }>;
const kept: Kept = {
  kind: "kept",
  files: [place("/floor/floor.db", 0o600), place("/floor/floor.db-wal", 0o600)],
  token: place("/floor/floor.db-token", 0o600),
  folder: place("/floor", 0o700),
  freeBytes: 2 ** 40,
  survey,
};

const node: Inspection["node"] = { version: "v22.12.0", isLts: true, options: "", rejectUnauthorized: undefined };

type Seen = {
  env?: Record<string, string>;
  host?: string;
  node?: Partial<Inspection["node"]>;
  user?: number | undefined;
};
type Change = Seen & { store?: StoreInspection; kept?: Partial<Kept>; survey?: Partial<Sqlite>; now?: string };

function inspectionOf({ env = {}, host = "127.0.0.1", store, ...change }: Change): Inspection {
  return {
    now: change.now ?? now,
    node: { ...node, ...change.node },
    user: "user" in change ? change.user : me,
    configured: parseConfiguration({ host }, env),
    namedStore: undefined,
    store: store ?? { ...kept, ...change.kept, survey: { ...survey, ...change.survey } },
  };
}

function faultsIn(change: Change): [fault: string, words: string][] {
  const faults = diagnose(inspectionOf(change)).filter(({ level }) => level !== "ok");
  return faults.map((one) => [`${one.level} ${one.id}`, "fix" in one ? `${one.what} | ${one.fix}` : ""]);
}

const key: InspectedKey = {
  id: "k1",
  speakers: 1,
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-06-01T00:00:00.000Z",
};
const { expiresAt: _ends, ...endless } = key;
const url = "https://floor.example";
const publicly = { PLENARY_PUBLIC_URL: url, PLENARY_PROXIES: "1" };
const inContainer = { PLENARY_PUBLIC_URL: "http://127.0.0.1:7536" };
const withKey = { survey: { keys: [key] } };
const signingIn = (issuer: string, allow: string): Change => ({
  env: { ...publicly, PLENARY_OIDC_ISSUER: issuer, PLENARY_OIDC_CLIENT_ID: "floor", PLENARY_OIDC_ALLOW: allow },
});
const openIssuer = "anyone can create an account there";

test.each<[string, Change]>([
  ["a floor on this machine", {}],
  ["a floor that others reach through a proxy, with a key", { env: publicly, ...withKey }],
  [
    "a floor without a proxy before it, and that on purpose",
    { env: { ...publicly, PLENARY_PROXIES: "0" }, ...withKey },
  ],
  [
    "a key that has ended, however old and broad",
    { survey: { keys: [{ ...endless, speakers: 99, revokedAt: now, createdAt: "2020" }] } },
  ],
  [
    "a host that is called by https",
    { env: { ...publicly, PLENARY_ALLOW_HOSTS: "bot.internal:443,10.0.0.5:8443" }, ...withKey },
  ],
  ["a range of public addresses", { env: { PLENARY_ALLOW_CIDRS: "8.8.8.0/24" } }],
  ["an unsigned agent on this machine", { survey: { unsigned: ["http://127.0.0.1:1/"] } }],
  [
    "an agent that the floor hosts itself",
    { env: publicly, survey: { keys: [key], unsigned: [`${url}/agents/echo`] } },
  ],
  [
    "an agent that is reached through the floor itself",
    {
      env: publicly,
      survey: { keys: [key], unsigned: [`${url}/openfloor/at/dGFn`, "http://127.0.0.1:1/openfloor/at/dGFn"] },
    },
  ],
  ["a container that this machine alone reaches", { host: "0.0.0.0", env: inContainer, ...withKey }],
  ["a store of an older version", { survey: { version: 1 } }],
  ["a store in memory", { store: { kind: "memory" } }],
  ["an issuer whose people are listed", signingIn("https://accounts.google.com", "ann@example.com,@example.com")],
  ["no store yet", { store: { kind: "missing", file: "/floor/floor.db", folder: undefined, freeBytes: 2 ** 40 } }],
  [
    "modes and owners where there are none",
    { user: undefined, kept: { folder: place("C:", 0o777, 0), files: [place("C:", 0o666, 0)] } },
  ],
  ["options of Node that open nothing", { node: { options: "--max-old-space-size=100 --inspector-free" } }],
])("%s has no fault", (_name, change) => {
  expect(faultsIn(change)).toEqual([]);
});

const insecure = { PLENARY_PUBLIC_URL: "http://floor.example", PLENARY_INSECURE_HTTP: "1" };
const allowing = (cidrs: string) => ({ env: { ...publicly, PLENARY_ALLOW_CIDRS: cidrs }, ...withKey });
const calling = (hosts: string) => ({ env: { ...publicly, PLENARY_ALLOW_HOSTS: hosts }, ...withKey });
const missing = { kind: "missing", file: "/floor/floor.db", freeBytes: 2 ** 40 } as const;

test.each<[string, Change, string, string]>([
  [
    "a plain http address for others",
    { env: insecure, ...withKey },
    "unsafe public-url",
    "PLENARY_PUBLIC_URL=https://",
  ],
  [
    "a bind elsewhere without an address",
    { host: "0.0.0.0", ...withKey },
    "unsafe bind",
    "PLENARY_PUBLIC_URL=https://floor.example",
  ],
  [
    "a bind elsewhere without a key",
    { host: "0.0.0.0", env: { ...publicly, PLENARY_PROXIES: "0" } },
    "unsafe bind",
    "plenary keys add --speaker",
  ],
  [
    "a key that has expired as the only one",
    { host: "0.0.0.0", env: { ...publicly, PLENARY_PROXIES: "0" }, now: key.expiresAt ?? "", ...withKey },
    "unsafe bind",
    "plenary keys add",
  ],
  ["a public floor with the operator's token only", { env: publicly }, "warning way-in", "plenary keys add --speaker"],
  [
    "https without a word about proxies",
    { env: { PLENARY_PUBLIC_URL: url }, ...withKey },
    "warning proxies",
    "PLENARY_PROXIES",
  ],
  [
    "proxies that can be gone round",
    { host: "0.0.0.0", env: publicly, ...withKey },
    "warning proxies",
    "listen on 127.0.0.1",
  ],
  ["every address", allowing("0.0.0.0/0"), "unsafe dial-ranges", "0.0.0.0/0 allows every address"],
  ["every IPv6 address", allowing("::/0"), "unsafe dial-ranges", "::/0 allows every address"],
  ["half of all addresses", allowing("128.0.0.0/1"), "unsafe dial-ranges", "169.254.169.254"],
  [
    "the keys of a cloud",
    allowing("169.254.169.254/32"),
    "unsafe dial-ranges",
    "a cloud metadata service with the keys of this machine",
  ],
  ["the keys of a cloud by IPv6", allowing("fd00:ec2::/32"), "unsafe dial-ranges", "fd00:ec2::254"],
  ["a whole private range", allowing("10.0.0.0/8"), "unsafe dial-ranges", "all of 10.0.0.0/8"],
  ["this machine from a public floor", allowing("127.0.0.0/8"), "unsafe dial-ranges", "all of this machine"],
  ["a part of a private range", allowing("10.1.2.0/24"), "warning dial-ranges", "PLENARY_ALLOW_HOSTS"],
  [
    "a host that is a cloud's",
    calling("169.254.169.254:443"),
    "unsafe dial-hosts",
    "remove it from PLENARY_ALLOW_HOSTS",
  ],
  [
    "a host that is a cloud's by name",
    calling("metadata.google.internal"),
    "unsafe dial-hosts",
    "keys of this machine",
  ],
  ["a host without a port", calling("bot.internal"), "warning dial-hosts", "write bot.internal:443"],
  ["a host by plain http", calling("[fd00::5]:80"), "warning dial-hosts", "write [fd00::5]:443"],
  [
    "a store that others read",
    { kept: { files: [place("/floor/floor.db", 0o640)] } },
    "unsafe store-file",
    "chmod 600 /floor/floor.db",
  ],
  [
    "a store of another account",
    { kept: { files: [place("/floor/floor.db", 0o600, 7)] } },
    "unsafe store-file",
    "chown 1000 /floor/floor.db",
  ],
  [
    "a token that others read",
    { kept: { token: place("/my floor/t", 0o604) } },
    "unsafe token-file",
    "chmod 600 '/my floor/t'",
  ],
  [
    "a folder that all write to",
    { kept: { folder: place("/floor", 0o1777) } },
    "unsafe store-folder",
    "every account can write to /floor (1777)",
  ],
  [
    "such a folder, before there is a store",
    { store: { ...missing, folder: place("/floor", 0o777) } },
    "unsafe store-folder",
    "chmod 700 /floor",
  ],
  [
    "a folder of another account",
    { kept: { folder: place("/floor", 0o755, 7) } },
    "unsafe store-folder",
    "another account (7)",
  ],
  [
    "a folder that its group writes to",
    { kept: { folder: place("/floor", 0o770) } },
    "warning store-folder",
    "chmod g-w /floor",
  ],
  ["no word to the disk", { survey: { synchronous: 0 } }, "unsafe durability", "synchronous 0"],
  ["no journal", { survey: { journalMode: "off" } }, "unsafe durability", "journal off"],
  ["a word to the disk now and then", { survey: { synchronous: 1 } }, "warning durability", "lost in a power failure"],
  ["a full disk", { kept: { freeBytes: 2 ** 30 - 1 } }, "warning disk", "1023 MiB left"],
  ["a key that never ends", { survey: { keys: [endless] } }, "warning keys-expiry", "1 key (k1) never expire"],
  [
    "a key older than a year",
    { survey: { keys: [{ ...key, createdAt: "2025-02-01T00:00:00.000Z" }] } },
    "warning keys-age",
    "older than a year",
  ],
  ["a key for many", { survey: { keys: [{ ...key, speakers: 11 }] } }, "warning keys-breadth", "more than 10 speakers"],
  [
    "many such keys",
    { survey: { keys: ["a", "b", "c", "d"].map((id) => ({ ...endless, id })) } },
    "warning keys-expiry",
    "4 keys (a, b, c, ...)",
  ],
  [
    "an unsigned agent of a public floor",
    { env: publicly, survey: { keys: [key], unsigned: ["https://bot.example/"] } },
    "warning signing",
    "plenary keys add --service-url",
  ],
  [
    "every account of an issuer",
    signingIn("https://id.example", "*"),
    "warning sign-in",
    "every account of https://id.example",
  ],
  ["every account at Google", signingIn("https://accounts.google.com", "*"), "unsafe sign-in", openIssuer],
  [
    "every account at Microsoft",
    signingIn("https://login.microsoftonline.com/common/v2.0", "sub:1,*"),
    ...(["unsafe sign-in", openIssuer] as const),
  ],
  [
    "everybody in one tenant of Microsoft's",
    signingIn("https://login.microsoftonline.com/11111111-2222/v2.0", "*"),
    ...(["warning sign-in", "PLENARY_OIDC_ALLOW"] as const),
  ],
  ["everybody at GitHub", signingIn("https://github.com/login/oauth", "*"), "unsafe sign-in", "PLENARY_OIDC_ALLOW"],
  ["conversations without guards", { survey: { unguarded: 2 } }, "warning policy", "2 open conversations"],
  ["a Node that is too old", { node: { version: "v20.18.3" } }, "unsafe node", "older than 20.19"],
  [
    "a Node without fixes",
    { node: { version: "v20.20.0" }, now: "2026-05-01T00:00:00.000Z" },
    "warning node",
    "since 2026-04-30",
  ],
  [
    "a Node that is no long-term release",
    { node: { version: "v25.1.0", isLts: false } },
    "warning node",
    "not an LTS release",
  ],
  ["root", { user: 0 }, "warning root", "a separate account"],
  ["unchecked certificates", { node: { rejectUnauthorized: "0" } }, "unsafe tls", "NODE_EXTRA_CA_CERTS"],
  [
    "a debugger",
    { node: { options: "--trace-warnings --inspect=0.0.0.0:9229" } },
    "unsafe debugger",
    "--inspect opens a debugger",
  ],
  ["a debugger by another spelling", { node: { options: '"--inspect_brk"' } }, "unsafe debugger", "NODE_OPTIONS"],
  [
    "half an issuer",
    { env: { ...publicly, PLENARY_JWT_ISSUER: "https://id.example" } },
    "unsafe configuration",
    "PLENARY_JWKS_URL is missing",
  ],
])("%s is the only finding, with its fix", (_name, change, fault, words) => {
  expect(faultsIn(change)).toEqual([[fault, expect.stringContaining(words)]]);
});

test("the worst findings come first, and every fault has a fix", () => {
  const findings = diagnose(inspectionOf({ env: insecure, user: 0, node: { rejectUnauthorized: "0" } }));
  const levels = findings.map(({ level }) => level).join(" ");
  expect(levels).toMatch(/^(?:unsafe )+(?:warning )+(?:ok ?)+$/u);
  for (const finding of findings) expect("fix" in finding && finding.fix !== "").toBe(finding.level !== "ok");
});
