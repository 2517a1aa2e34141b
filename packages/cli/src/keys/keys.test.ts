import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteCredentials, newCredentialToken, partsOf } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";

const bot = "tag:bot.example,2026:bot";
const store = "floor.db";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-keys-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function keys(...args: string[]) {
  const io = createMemoryIo({ cwd: folder, env: { PLENARY_STORE: store } });
  const exitCode = await run(["keys", ...args], io);
  return { exitCode, ...io.written };
}

async function made(...args: string[]) {
  const { exitCode, stdout, stderr } = await keys("add", ...args, "--json");
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("is not shown again")]);
  return JSON.parse(stdout);
}

async function listed() {
  const { exitCode, stdout } = await keys("list", "--json");
  expect(exitCode).toBe(0);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function kept<Result>(look: (credentials: ReturnType<typeof createSqliteCredentials>) => Promise<Result>) {
  const credentials = createSqliteCredentials(join(folder, store));
  try {
    return await look(credentials);
  } finally {
    await credentials.close();
  }
}

test("a key is alone on stdout, with notes on stderr", async () => {
  const { exitCode, stdout, stderr } = await keys("add", "--speaker", bot);
  expect(exitCode).toBe(0);
  const id = partsOf(stdout.trimEnd())?.id;
  expect(id).toMatch(/^[a-z\d]{16}$/u);
  expect(stderr).toBe(`This key is not shown again: save it now.
  id         ${id}
  is for     an agent
  speaks as  ${bot}
  expires    never
  stored in  ${join(folder, store)}, as a hash
  use it     send the header  Authorization: Bearer KEY
  revoke it  plenary keys revoke ${id}
`);
  expect(statSync(join(folder, store)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, store), "latin1")).not.toContain(stdout.trimEnd().slice(-43));
});

test("a key has its speakers, its kind and its lifetime", async () => {
  const agent = await made("--speaker", bot, "--speaker", "https://b.example/#b", "--speaker", bot);
  const person = await made("--person", "--speaker", bot, "--label", "Ann's", "--expires", "30d");
  const host = await made("--host", "--speaker", bot);
  expect(agent).toMatchObject({ kind: "key", state: "live", person: false, speakers: [bot, "https://b.example/#b"] });
  expect(person).toMatchObject({ person: true, label: "Ann's" });
  expect(Date.parse(person.expiresAt) - Date.parse(person.createdAt)).toBe(30 * 86_400_000);
  const [agents, persons] = await kept(async ({ find }) => [await find(agent.id), await find(person.id)]);
  expect(agents).toMatchObject({ isPerson: false, scopes: [] });
  const hosting = await kept(async ({ find }) => find(host.id));
  expect(hosting).toMatchObject({ isPerson: false, scopes: ["host"] });
  expect(agents?.expiresAt).toBeUndefined();
  expect(persons).toMatchObject({ isPerson: true, scopes: ["host"], expiresAt: person.expiresAt });
});

test("a malformed tag URI is accepted with a note", async () => {
  const { exitCode, stderr } = await keys("add", "--speaker", bot, "--speaker", "tag:bot.example:bot");
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("tag:AUTHORITY,DATE:NAME: tag:bot.example:bot\n")]);
});

test.each([
  ["90m", 5_400_000],
  ["12h", 43_200_000],
  ["3650d", 315_360_000_000],
])("a key may last %s", async (expires, ms) => {
  const { createdAt, expiresAt } = await made("--speaker", bot, "--expires", expires);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(ms);
});

test("the list has states, but no secrets or hashes", async () => {
  const live = await made("--speaker", bot, "--label", "the \u001b[31mbot");
  const revoked = await made("--person", "--speaker", bot);
  const signing = await made("--service-url", "https://bot.example/openfloor");
  await keys("revoke", revoked.id);
  const { id, hash } = newCredentialToken("link");
  const past = { createdAt: "2026-01-01T00:00:00.000Z", expiresAt: "2026-01-02T00:00:00.000Z" };
  const link = { id, kind: "link" as const, hash, speakers: [], scopes: [], isPerson: true, conversation: "c1" };
  await kept(({ add }) => add({ ...link, ...past, usesLeft: 1 }));
  const states = Object.fromEntries((await listed()).map((one) => [one.id, `${one.kind} ${one.state}`]));
  expect(states).toEqual({
    [live.id]: "key live",
    [revoked.id]: "key revoked",
    [signing.id]: "signing live",
    [id]: "link expired",
  });
  const { stdout } = await keys("list");
  expect(stdout).toMatch(/^KIND +ID +STATE +CREATED +ENDS +FOR +LABEL\n/u);
  expect(stdout).toMatch(new RegExp(`^agent +${live.id} +live +\\S+ +never +${bot} +the \\\\u001b\\[31mbot$`, "mu"));
  expect(stdout).toMatch(new RegExp(`^link +${id} +expired +2026-01-01T00:00Z +2026-01-02T00:00Z +in c1$`, "mu"));
  const hashes = await kept(({ list }) => list({ limit: 9 }));
  const secrets = [live.token.slice(-43), revoked.token.slice(-43), signing.secret, ...hashes.map((one) => one.hash)];
  const json = (await keys("list", "--json")).stdout;
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(40);
    expect(`${stdout}${json}`).not.toContain(secret);
  }
});

test("an empty list says how to create a key", async () => {
  await kept(async () => undefined);
  expect(await keys("list")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("plenary keys add") });
  expect(await keys("list", "--json")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});

test("a list longer than a page is complete", async () => {
  await kept(async ({ add }) => {
    for (let count = 0; count < 501; count += 1) {
      const { id, hash } = newCredentialToken("key");
      await add({ id, kind: "key", hash, speakers: [bot], scopes: [], isPerson: false, createdAt: "2026-01-01" });
    }
  });
  expect(new Set((await listed()).map(({ id }) => id)).size).toBe(501);
});

test("a key is revoked by its id, or by itself, once", async () => {
  const [first, second] = [await made("--speaker", bot), await made("--speaker", bot)];
  expect(await keys("revoke", first.id)).toEqual({ exitCode: 0, stdout: `${first.id} is revoked\n`, stderr: "" });
  expect(await keys("revoke", second.token, "--json")).toMatchObject({
    exitCode: 0,
    stdout: `${JSON.stringify({ id: second.id, revoked: true })}\n`,
  });
  expect(await keys("revoke", first.id)).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `plenary: ${first.id} had already ended\n`,
  });
});

test("an unknown id is not revoked and not printed: it may be a secret", async () => {
  await made("--speaker", bot);
  expect(await keys("revoke", "whsec_something")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "plenary: there is no such id: plenary keys list shows all\n",
  });
});

test("an agent has at most two signing secrets, and another after one is revoked", async () => {
  const url = "https://bot.example/openfloor";
  const first = await made("--service-url", url);
  expect(Buffer.from(first.secret.replace(/^whsec_/u, ""), "base64")).toHaveLength(32);
  const second = await made("--service-url", `${url}/`);
  const third = await keys("add", "--service-url", url);
  expect(third).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("revoke one first") });
  await made("--service-url", "https://other.example/");
  expect(await kept(({ secretsFor }) => secretsFor(url))).toEqual([second.secret, first.secret]);
  expect((await keys("revoke", first.id)).exitCode).toBe(0);
  const { exitCode, stdout, stderr } = await keys("add", "--service-url", url);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`what the floor sends to ${url}`)]);
  expect(await kept(({ secretsFor }) => secretsFor(url))).toEqual([stdout.trimEnd(), second.secret]);
});

test.each([
  ["no speaker", ["add"], "give --speaker URI, or --service-url URL"],
  ["a speaker that is no URI", ["add", "--speaker", "ann"], "A speaker is a URI, such as tag:you.example,2026:me."],
  ["a speaker with a gap", ["add", "--speaker", "tag:a b"], "A speaker is a URI"],
  ["a time without a unit", ["add", "--speaker", bot, "--expires", "30"], "such as 90m, 12h or 30d"],
  ["no time at all", ["add", "--speaker", bot, "--expires", "0d"], "such as 90m, 12h or 30d"],
  ["a time without end", ["add", "--speaker", bot, "--expires", "9999d"], "at most 3650d"],
  ["an empty label", ["add", "--speaker", bot, "--label", ""], "A label has 1 to 200 characters."],
  ["an address that is none", ["add", "--service-url", "ftp://x"], "An agent's address is an http or https URL"],
  ["an address with a password", ["add", "--service-url", "https://a:b@x/"], "An agent's address is an http"],
  ["a secret for a person", ["add", "--service-url", "https://x/", "--person"], "cannot be used with"],
  ["no id", ["revoke"], "missing required argument 'id'"],
  ["a misspelt command", ["ad"], "unknown command 'ad'"],
])("%s is wrong usage", async (_name, args, message) => {
  const { exitCode, stdout, stderr } = await keys(...args);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/\nHelp: plenary keys.* --help\n$/u);
});

test.each([
  ["list", "there is no such file; give it with --store"],
  ["list --store :memory:", "it does not outlive its process; give a file"],
  ["revoke x --store none.db", "there is no such file; give it with --store"],
  ["add --speaker tag:a --store :memory:", "it does not outlive its process; give a file"],
  ["add --speaker tag:a --store postgres://x/y", "give --store FILE"],
])("keys %s says what is missing", async (args, problem) => {
  const { exitCode, stdout, stderr } = await keys(...args.split(" "));
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(problem);
});

const wayOut = "stop the process that uses it, or give another file with --store";

test("a file that is not a store is not changed", async () => {
  const file = join(folder, "letter.txt");
  writeFileSync(file, "Dear Ann, this is a letter and not a store.".repeat(100));
  const before = readFileSync(file);
  expect(await keys("add", "--speaker", bot, "--store", file)).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: `plenary: cannot open ${file}: file is not a database; ${wayOut}\n`,
  });
  expect(readFileSync(file)).toEqual(before);
});

test.each([["--help"], ["add", "--help"], ["list", "--help"], ["revoke", "--help"]])(
  "keys %s %s has examples",
  async (...args) => {
    expect(await keys(...args)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/Examples:\n {2}plenary keys /u),
      stderr: "",
    });
  },
);
