import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryIo } from "../testing/memory-io.ts";
import { existingStoreFile, givenStore, persistentStoreFile, storeFile } from "./location.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "plenary-place-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const ioWith = (env: Record<string, string> = {}) => createMemoryIo({ cwd, env });

test("the option overrides the environment, which overrides the default", () => {
  const io = ioWith({ PLENARY_STORE: "env.db" });
  expect([givenStore("option.db", io), givenStore(undefined, io), givenStore(undefined, ioWith())]).toEqual([
    "option.db",
    "env.db",
    undefined,
  ]);
  expect(storeFile(undefined, ioWith())).toBe(join(cwd, ".plenary/floor.db"));
});

test("an empty variable counts as not set", () => {
  expect(storeFile(undefined, ioWith({ PLENARY_STORE: " " }))).toBe(join(cwd, ".plenary/floor.db"));
});

test("a persistent store is a file, and an existing store exists", () => {
  const io = ioWith({ PLENARY_STORE: ":memory:" });
  expect(() => persistentStoreFile(undefined, io)).toThrow("it does not outlive its process; give a file");
  expect(persistentStoreFile("floor.db", io)).toBe(join(cwd, "floor.db"));
  expect(() => existingStoreFile(undefined, io)).toThrow("it does not outlive its process; give a file");
  expect(() => existingStoreFile("floor.db", io)).toThrow("there is no such file; give it with --store");
  expect(existsSync(join(cwd, "floor.db"))).toBe(false);
  writeFileSync(join(cwd, "floor.db"), "");
  expect(existingStoreFile("floor.db", io)).toBe(join(cwd, "floor.db"));
});
