import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteCredentials, createSqliteStore, newCredentialToken } from "@plenary/server";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import type { Level } from "./findings.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "plenary-doctor-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function plenary(args: string[], env: Record<string, string> = {}) {
  const io = createMemoryIo({ cwd, env });
  const exitCode = await run(["doctor", ...args], io);
  return { exitCode, ...io.written };
}

async function findingsOf(args: string[] = [], env: Record<string, string> = {}) {
  const { stdout } = await plenary(["--json", ...args], env);
  const lines: { id: string; level: Level; what: string }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return Object.fromEntries(lines.map(({ id, level, what }) => [id, { level, what }]));
}

test("a missing store is reported and not created", async () => {
  const { exitCode, stdout, stderr } = await plenary([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(`there is no store at ${join(cwd, ".plenary/floor.db")} yet: plenary serve creates it\n`);
  expect(stdout).toMatch(/\n0 unsafe, \d+ warnings?, \d+ ok \(--verbose shows them\)\n$/u);
  expect(await plenary(["--verbose"])).toMatchObject({
    stdout: expect.stringContaining("ok       tls: TLS certificates"),
  });
});

test("unsafe findings come first, with the fix on the next line, and exit code 1", async () => {
  const { exitCode, stdout } = await plenary(["--host", "0.0.0.0"], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^unsafe {3}bind: --host 0\.0\.0\.0 opens the floor to other machines.*\n {9}fix: set it, such as/u,
  );
});

test("a store in use is inspected: keys, modes and durability", async () => {
  const file = join(cwd, "floor.db");
  const store = createSqliteStore(file);
  const credentials = createSqliteCredentials(file);
  const { id, hash } = newCredentialToken("key");
  const speakers = Array.from({ length: 11 }, (_, n) => `tag:bot.example,2026:${n}`);
  await credentials.add({
    id,
    kind: "key",
    hash,
    speakers,
    scopes: [],
    isPerson: false,
    createdAt: new Date().toISOString(),
  });
  for (const part of ["", "-wal", "-shm"]) chmodSync(`${file}${part}`, 0o600);
  writeFileSync(`${file}-token`, "hush\n", { mode: 0o600 });
  chmodSync(`${file}-token`, 0o644);
  const seen = await findingsOf(["--store", "floor.db"]);
  expect(seen["keys-expiry"]).toEqual({ level: "warning", what: `1 key (${id}) never expire` });
  expect(seen["keys-breadth"]?.level).toBe("warning");
  expect(seen["store-file"]?.level).toBe("ok");
  expect(seen["token-file"]).toMatchObject({ level: "unsafe", what: expect.stringContaining("0644") });
  expect(seen["store-version"]?.what).toBe("the store is of version 3, the newest");
  expect(seen.durability?.what).toContain("synchronous 2, journal wal");
  chmodSync(file, 0o644);
  expect((await findingsOf(["--store", "floor.db"]))["store-file"]?.level).toBe("unsafe");
  await credentials.close();
  await store.close();
});

/** A store with another version number, and without the tables of version 2 if that is 1. */
async function storeOfVersion(version: number): Promise<string> {
  const file = join(cwd, "floor.db");
  await createSqliteStore(file).close();
  const db = new Database(file);
  db.exec(`${version === 1 ? "DROP TABLE title; DROP TABLE credential;" : ""} PRAGMA user_version = ${version}`);
  db.close();
  return file;
}

test.each(["doctor", "verify", "export"])(
  "%s reads a store of an older version and does not migrate it",
  async (name) => {
    const file = await storeOfVersion(1);
    const before = readFileSync(file);
    const io = createMemoryIo({ cwd, env: {} });
    expect(await run([name, "--store", file], io)).toBe(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    const what =
      "the store is of version 1: the next plenary serve migrates it to version 3, and an older Plenary then refuses it";
    expect((await findingsOf(["--store", file]))["store-version"]).toEqual({ level: "ok", what });
  },
);

test.each(["doctor", "verify", "export", "keys list"])("%s refuses a store of a newer version", async (command) => {
  const file = await storeOfVersion(9);
  const io = createMemoryIo({ cwd, env: {} });
  expect([await run([...command.split(" "), "--store", file], io), io.written.stdout]).toEqual([2, ""]);
  expect(io.written.stderr).toContain(`${file}: the store is of version 9, and this Plenary reads versions up to 3: `);
  expect(io.written.stderr).toContain("use the newer Plenary that wrote it, or restore a backup");
  expect(io.written.stderr).not.toContain("stop the process");
});

test("the fix for a missing key names the given store", async () => {
  const fixes = async (store: string) => {
    const env = { PLENARY_PUBLIC_URL: "https://floor.example", PLENARY_STORE: store };
    return (await plenary(["--host", "0.0.0.0"], env)).stdout;
  };
  expect(await fixes(":memory:")).toContain("keep the floor in a file (--store FILE) and create a key:");
  expect(await fixes("other.db")).toContain("plenary keys add --store other.db --speaker");
});

test("invalid settings are unsafe findings", async () => {
  const seen = await findingsOf([], { PLENARY_OIDC_CLIENT_ID: "floor" });
  expect(seen.configuration).toMatchObject({
    level: "unsafe",
    what: expect.stringContaining("PLENARY_OIDC_ISSUER is missing"),
  });
});

test.each([
  ["a file that is no store", ["--store", "text.db"], "cannot open"],
  ["a store of another kind", ["--store", "postgres://floor.example/db"], "give --store FILE"],
  ["a misspelt option", ["--verbos"], "(Did you mean --verbose?)"],
])("%s cannot be looked at", async (_name, args, problem) => {
  writeFileSync(join(cwd, "text.db"), "this is not a database, and long enough to be read as one ".repeat(20));
  const { exitCode, stdout, stderr } = await plenary(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(problem);
});
