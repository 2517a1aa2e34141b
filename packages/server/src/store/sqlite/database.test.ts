import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSqliteCredentials } from "./credentials.ts";
import { isInUse, lock, openReader, openWriter } from "./database.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-database-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openTo = (path: string) => statSync(path).mode & 0o077;

test("a store and the files beside it are created with access for the owner only", () => {
  const file = join(folder, "new/floor.db");
  const locked = lock(file);
  const db = openWriter(file);
  const parts = [join(folder, "new"), file, `${file}-wal`, `${file}-shm`, `${file}-lock`];
  expect(parts.map(openTo)).toEqual(parts.map(() => 0));
  db.close();
  locked.release();
});

test("a commit is synced to the disk before it returns", () => {
  const db = openWriter(join(folder, "floor.db"));
  // 2 is FULL: in WAL mode NORMAL leaves the sync of commits to the next checkpoint.
  expect(db.pragma("synchronous", { simple: true })).toBe(2);
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
  db.close();
});

test("every path to a store uses the same lock", () => {
  mkdirSync(join(folder, "real"));
  const file = join(folder, "real/floor.db");
  symlinkSync(file, join(folder, "link.db"));
  symlinkSync("real", join(folder, "folder"));
  const paths = [file, join(folder, "link.db"), join(folder, "folder/floor.db"), join(folder, "real/../real/floor.db")];
  for (const first of paths) {
    // The target of the first link does not exist yet.
    const locked = lock(first === file ? join(folder, "link.db") : first);
    for (const second of paths) {
      expect(() => lock(second)).toThrow(expect.objectContaining({ code: "store-in-use" }));
      expect(isInUse(second)).toBe(true);
    }
    locked.release();
    for (const second of paths) expect(isInUse(second)).toBe(false);
  }
  expect(readdirSync(folder).sort()).toEqual(["folder", "link.db", "real"]);
});

test("a store with several hard links is refused under each name, and is accepted with one", () => {
  const [file, other] = [join(folder, "floor.db"), join(folder, "other.db")];
  openWriter(file).close();
  linkSync(file, other);
  const why = {
    code: "store-linked",
    message: expect.stringMatching(/other\.db has 2 hard links.*delete its other names/u),
  };
  for (const open of [lock, openWriter, openReader, createSqliteCredentials]) {
    expect(() => open(other)).toThrow(expect.objectContaining(why));
    expect(() => open(file)).toThrow(expect.objectContaining({ code: "store-linked" }));
  }
  expect(readdirSync(folder).sort()).toEqual(["floor.db", "other.db"]);
  rmSync(other);
  lock(file).release();
  openReader(file).close();
});
