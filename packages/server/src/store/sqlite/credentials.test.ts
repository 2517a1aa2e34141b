import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, test } from "vitest";
import { credential, credentialAcceptance } from "../../auth/acceptance.ts";
import { newCredentialToken, partsOf } from "../../ports/credentials.ts";
import { changeOf, openDecision } from "../acceptance/fixture.ts";
import { createSqliteCredentials } from "./credentials.ts";
import { newestVersion } from "./migrations/migrate.ts";
import { createSqliteStore } from "./store.ts";

const now = "2026-01-02T00:00:00.000Z";
const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function fresh() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-credentials-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  return join(folder, "made", "floor.db");
}

function open(file: string) {
  const credentials = createSqliteCredentials(file);
  ends.push(() => credentials.close());
  return credentials;
}

describe("credentials in SQLite", () => {
  for (const { name, run } of credentialAcceptance) test(name, () => run(open(fresh())));
});

test("two connections see each other's changes at once, while a floor has the store open", async () => {
  const file = fresh();
  const store = createSqliteStore(file);
  ends.push(() => store.close());
  const [floor, command] = [open(file), open(file)];
  const one = credential({ usesLeft: 2 });
  await command.add(one);
  expect(await floor.find(one.id)).toEqual(one);
  expect(await floor.use(one.id, now)).toBe(true);
  expect(await command.find(one.id)).toMatchObject({ usesLeft: 1 });
  expect(await command.revoke(one.id, now)).toBe(true);
  expect(await floor.use(one.id, now)).toBe(false);
});

test("a credential waits for an open write of the same process without blocking it", async () => {
  const file = fresh();
  const store = createSqliteStore(file);
  ends.push(() => store.close());
  const credentials = open(file);
  const written = store.log.append("c", changeOf(openDecision("c")), 0);
  const one = credential();
  await credentials.add(one);
  expect(await written).toBe("appended");
  expect(await credentials.find(one.id)).toEqual(one);
});

test("a store closed while its sweep waits for the file does not sweep and does not fail", async () => {
  const file = fresh();
  const credentials = createSqliteCredentials(file);
  const other = new Database(file);
  ends.push(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  const swept = credentials.sweepCredentials(now);
  await credentials.close();
  await expect(swept).resolves.toBeUndefined();
});

test("a store failure is reported at once, and a later call is tried again", async () => {
  const file = fresh();
  const credentials = open(file);
  const other = new Database(file);
  ends.push(() => void other.close());
  other.exec("ALTER TABLE credential RENAME TO away");
  const asked = credentials.find("none");
  other.exec("ALTER TABLE away RENAME TO credential");
  const failed = { code: "store-failed", message: "the store has failed (SQLITE_ERROR)", retryable: true };
  await expect(asked).rejects.toMatchObject(failed);
  expect(await credentials.find("none")).toBeUndefined();
});

test("a credential waits for a file locked by another process, also in an idle process", async () => {
  const file = fresh();
  const credentials = open(file);
  const other = new Database(file);
  ends.push(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  const one = credential();
  const added = credentials.add(one);
  for (let turns = 0; turns < 2_000; turns += 1) await new Promise(setImmediate);
  other.exec("COMMIT");
  await added;
  expect(await credentials.find(one.id)).toEqual(one);
});

test("the wait for a file locked by another process is limited", { timeout: 60_000 }, async () => {
  const file = fresh();
  const credentials = open(file);
  const other = new Database(file);
  ends.push(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  const busy = { code: "store-failed", message: "the store has failed (SQLITE_BUSY)", retryable: true };
  await expect(credentials.add(credential())).rejects.toMatchObject(busy);
});

test("a credentials file created before the first start becomes the store of the floor", async () => {
  const file = fresh();
  const one = credential();
  await open(file).add(one);
  const store = createSqliteStore(file);
  ends.push(() => store.close());
  expect(await store.log.append("c", changeOf(openDecision("c")), 0)).toBe("appended");
  const db = new Database(file, { readonly: true });
  expect(db.pragma("user_version", { simple: true })).toBe(newestVersion);
  db.close();
  expect(await open(file).find(one.id)).toEqual(one);
});

test("a store of another version is refused and not changed", async () => {
  const file = fresh();
  await createSqliteStore(file).close();
  const db = new Database(file);
  db.pragma("user_version = 7");
  db.close();
  expect(() => createSqliteCredentials(file)).toThrow("the store is of version 7");
  // Closed: SQLite has removed the files beside it.
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test("the file is readable by its owner only, and contains no secret of a caller", async () => {
  const file = fresh();
  const { id, token, hash } = newCredentialToken("key");
  const credentials = open(file);
  await credentials.add(credential({ id, hash }));
  for (const part of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(part).mode & 0o777).toBe(0o600);
  const written = Buffer.concat([file, `${file}-wal`].map((part) => readFileSync(part))).toString("latin1");
  expect(written).toContain(id);
  expect(written).not.toContain(partsOf(token)?.secret);
});

test("a swept signing secret is not in the file any more", async () => {
  const file = fresh();
  const credentials = createSqliteCredentials(file);
  const secret = "whsec_a secret that is kept in the clear while it signs";
  const serviceUrl = "https://bot.example/";
  await credentials.addSecret({ id: "s1", serviceUrl, secret, createdAt: now });
  await credentials.addSecret({ id: "s2", serviceUrl, secret: "another", createdAt: now });
  await credentials.revokeSecret("s1", now);
  await credentials.sweepCredentials("2026-01-03T00:00:00.000Z");
  await credentials.close();
  const written = readFileSync(file, "latin1");
  expect(written).toContain("another");
  expect(written).not.toContain(secret);
});

// Plain SQL in another process, without our code.
const racer = `
  const Database = require(process.argv[1]);
  const db = new Database(process.argv[2], { timeout: 20000 });
  const use = db.prepare("UPDATE credential SET uses_left = uses_left - 1 WHERE id = ? AND uses_left > 0");
  let used = 0;
  process.stdout.write("ready\\n");
  process.stdin.once("data", () => {
    for (let count = 0; count < 200; count += 1) used += use.run(process.argv[3]).changes;
    process.stdout.write(used + "\\n", () => process.exit());
  });
`;

test("uses by several processes never exceed the uses left", async () => {
  const file = fresh();
  const credentials = open(file);
  const link = credential({ kind: "link", usesLeft: 300 });
  await credentials.add(link);
  const library = join(import.meta.dirname, "../../../../../node_modules/better-sqlite3");
  const others = [1, 2].map(() => spawn(process.execPath, ["-e", racer, library, file, link.id]));
  ends.push(() => void others.map((other) => other.kill("SIGKILL")));
  for (const { stdout } of others) expect(String((await once(stdout, "data"))[0])).toBe("ready\n");
  const counts = others.map(async ({ stdin, stdout }) => {
    stdin.write("go\n");
    return Number((await once(stdout, "data"))[0]);
  });
  let used = 0;
  for (let count = 0; count < 200; count += 1) used += (await credentials.use(link.id, now)) ? 1 : 0;
  const theirs = await Promise.all(counts);
  expect(theirs.reduce((sum, count) => sum + count, used)).toBe(300);
  expect(await credentials.find(link.id)).toMatchObject({ usesLeft: 0 });
});
