import type { KnownAgent } from "@plenary/server";
import pc from "picocolors";
import { expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { fixFor, reportOf } from "./agent-report.ts";
import { tableOf } from "./agent-table.ts";

const plain = pc.createColors(false);
const hostile = "\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\r\nplenary: all is well";

function agent(more: Partial<KnownAgent> = {}, about: Record<string, unknown> = {}): KnownAgent {
  const serviceUrl = "https://newton.example/openfloor";
  const identification = {
    speakerUri: "tag:newton",
    serviceUrl,
    conversationalName: "Newton",
    organization: "Peers",
    synopsis: "Peers.",
    ...about,
  };
  const supportedLayers = { input: ["text"], output: ["text", "voice"] };
  const capability = { keyphrases: ["peering"], descriptions: [], languages: ["en"], supportedLayers };
  return {
    serviceUrl,
    manifest: { identification, capabilities: [capability] },
    health: "answering",
    failuresInARow: 0,
    since: "2026-01-01T10:00:00.000Z",
    askedAt: "2026-01-01T10:00:00.000Z",
    dialect: "1.1",
    quirks: [],
    ...more,
  };
}

const quirk: KnownAgent["quirks"][number] = {
  rule: "identification-service-name",
  says: "a department stands under the key department",
  spec: "Manifest 1.6",
  fix: "rename serviceName to department",
  count: 2,
  isRepaired: true,
  lastAt: "2026-01-01T10:00:00.000Z",
};

test("the list has one aligned line per agent, also with wide characters", () => {
  const latencyMs = { last: 3, p50: 3, p95: 120, of: 9 };
  const trouble = { code: "timeout", detail: "it did not answer in time" };
  const wide = agent({ latencyMs, quirks: [quirk], dialect: "0.9" }, { conversationalName: "翻訳者" });
  const { manifest: _, dialect: __, ...bare } = agent({ health: "silent", trouble });
  expect(tableOf([wide, agent({ isHosted: true }), bare], plain)).toBe(
    `  NAME            HEALTH                             P50/P95   SPEAKS    QUIRKS  ADDRESS
● 翻訳者          answering                          3/120 ms  OVON 0.9  1       https://newton.example/openfloor
● Newton          answering, hosted here             -         OFP 1.1   -       https://newton.example/openfloor
○ newton.example  silent: it did not answer in time  -         -         -       https://newton.example/openfloor
`,
  );
  expect(tableOf([], plain)).toContain("plenary agents add URL");
  expect(tableOf([], plain, "failing")).toBe("No known agent is failing.\n");
});

test("a report shows identity, health and quirks", () => {
  const latencyMs = { last: 12, p50: 10, p95: 30, of: 9 };
  expect(reportOf(agent({ latencyMs, quirks: [quirk] }), plain)).toBe(`● Newton  https://newton.example/openfloor
  answered in 12 ms (p50 10, p95 30), speaks OFP 1.1
  organization Peers
  synopsis     Peers.
  speakerUri   tag:newton
  keyphrases   peering
  languages    en
  layers       text in, text, voice out
  1 quirk, for its author:
    [identification-service-name] a department stands under the key department (broken 2 times, repaired by the floor)
      fix: rename serviceName to department  Manifest 1.6
`);
});

test("the report on a silent agent shows since when, and a fix", () => {
  const trouble = { code: "status", detail: "it answered with status 404" };
  const { manifest: _, ...bare } = agent({ health: "failing", trouble, failuresInARow: 3 });
  expect(reportOf({ ...bare, lastAnsweredAt: "2025-12-31T23:59:59.000Z" }, plain)).toBe(
    `✗ newton.example  https://newton.example/openfloor
  failing: it answered with status 404
  3 times in a row, since 2026-01-01T10:00Z; it last answered 2025-12-31T23:59Z
  fix: check the path: an agent accepts POST at its serviceUrl
`,
  );
});

test("control characters of agents are escaped, and long lists are cut", () => {
  const many = Array.from({ length: 500 }, (_, at) => `${hostile}${at}`);
  const capability = {
    keyphrases: many,
    descriptions: [],
    languages: many,
    supportedLayers: { input: many, output: many },
  };
  const about = {
    conversationalName: hostile.repeat(50),
    synopsis: "x".repeat(60_000),
    organization: hostile,
    speakerUri: hostile,
  };
  const wild = agent({ serviceUrl: `https://newton.example/${hostile}` }, about);
  if (wild.manifest !== undefined) wild.manifest.capabilities = [capability];
  for (const text of [tableOf([wild], plain), reportOf(wild, plain)]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(300);
    expect(text.split("\n").length).toBeLessThan(12);
  }
});

test("a manifest that is too large or missing is reported", () => {
  const { manifest: _, ...bare } = agent();
  expect(reportOf(bare, plain)).toContain("manifest     none: the answer to getManifests had no readable manifest");
  expect(reportOf({ ...bare, manifestBytes: 200_000 }, plain)).toContain("not stored: it has 200000 bytes");
});

test.each([
  ["refused-address", "10.0.0.1 is not a public address", "PLENARY_ALLOW_HOSTS=newton.example"],
  ["unreachable", "connect ECONNREFUSED 127.0.0.1:9", "start the agent"],
  ["unreachable", "getaddrinfo ENOTFOUND newton.example", "check the host name"],
  ["unreachable", "self-signed certificate", "NODE_EXTRA_CA_CERTS"],
  ["unreachable", "write EPROTO ...:SSL routines:wrong version number", "certificate"],
  ["unreachable", "something else", "that the agent is running"],
  ["timeout", "it did not answer within 10 seconds", "answered at once"],
  ["broken", "other side closed", "speaks HTTP"],
  ["redirect", "answered 302", "redirects are not followed"],
  ["no-envelope", "its answer is no envelope", "plenary validate"],
  ["not-connected", "its socket is not connected", "connects to the floor again"],
  ["echo", "it repeated the request instead of answering it", "an envelope of its own"],
  ["status", "it answered with status 401", "accept envelopes from this floor"],
  ["status", "it answered with status 503", "try again later"],
  ["status", "it answered with status 500", "the agent's log"],
  ["an unknown code", "", "check the address"],
])("%s, %s: has a fix", (code, detail, remedy) => {
  expect(fixFor(agent({ trouble: { code, detail } }))).toContain(remedy);
});

test.each([
  [["agents", "add", "agent.example"], "http or https address"],
  [["agents", "add", "https://ann:pw@agent.example/"], "Leave out the user name and password"],
  [["agents", "list", "--health", "fine"], "answering, silent, failing"],
  [["agents", "remove"], "missing required argument"],
  [["agents", "list", "--store", "nowhere.db"], "plenary serve"],
])("%j is an error with a hint", async (args, words) => {
  const io = createMemoryIo();
  expect(await run(args, io)).toBe(2);
  expect(io.written).toEqual({ stdout: "", stderr: expect.stringContaining(words) });
});
