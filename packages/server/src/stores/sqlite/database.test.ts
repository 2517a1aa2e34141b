import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lock, openWriter } from "./database.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-database-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openTo = (path: string) => statSync(path).mode & 0o077;

test("a store and what stands beside it is made for its owner only, and nobody has to close it to others later", () => {
  const file = join(folder, "new/floor.db");
  const locked = lock(file);
  const db = openWriter(file);
  const parts = [join(folder, "new"), file, `${file}-wal`, `${file}-shm`, `${file}-lock`];
  expect(parts.map(openTo)).toEqual(parts.map(() => 0));
  db.close();
  locked.release();
});
