import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileError } from "../errors.ts";
import { hasLiveKey, loadOrCreateToken, openStore } from "./store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const create = () => "fresh";

test("a token is created once, readable by its owner only, and kept", () => {
  const file = join(folder, "new/floor.db");
  expect(loadOrCreateToken(file, create)).toEqual({ token: "fresh" });
  expect(loadOrCreateToken(file, () => "another")).toEqual({ token: "fresh" });
  expect(statSync(`${file}-token`).mode & 0o777).toBe(0o600);
});

test("an empty token file is replaced", () => {
  const file = join(folder, "floor.db");
  writeFileSync(`${file}-token`, " \n", { mode: 0o600 });
  expect(loadOrCreateToken(file, create)).toEqual({ token: "fresh" });
  expect(readFileSync(`${file}-token`, "utf8")).toBe("fresh\n");
});

test("a token file with a wider mode is restricted, with a warning", () => {
  const file = join(folder, "floor.db");
  writeFileSync(`${file}-token`, "known\n");
  chmodSync(`${file}-token`, 0o620);
  expect(loadOrCreateToken(file, create)).toEqual({
    token: "known",
    warning: expect.stringContaining("its mode is 0600 now"),
  });
  expect(statSync(`${file}-token`).mode & 0o777).toBe(0o600);
});

test("a token file of another account is refused, except for root when the folder has the same owner", () => {
  const file = join(folder, "floor.db");
  writeFileSync(`${file}-token`, "theirs\n", { mode: 0o600 });
  const { uid } = statSync(folder);
  const anonymousLimit = `belongs to another account (${uid}), which knows the token`;
  expect(() => loadOrCreateToken(file, create, uid + 1)).toThrow(anonymousLimit);
  expect(loadOrCreateToken(file, create, 0)).toEqual({ token: "theirs" });
});

test("an unreadable token is a clear error", () => {
  const file = join(folder, "floor.db");
  mkdirSync(`${file}-token`, { mode: 0o700 });
  expect(() => loadOrCreateToken(file, create)).toThrow(FileError);
});

test("a planted link is not followed, dangling or not", () => {
  const file = join(folder, "floor.db");
  const elsewhere = join(folder, "elsewhere");
  symlinkSync(elsewhere, `${file}-token`);
  expect(() => loadOrCreateToken(file, create)).toThrow("it is not a regular file; delete it and start again");
  expect(existsSync(elsewhere)).toBe(false);
  writeFileSync(elsewhere, "planted\n", { mode: 0o644 });
  expect(() => loadOrCreateToken(file, create)).toThrow("it is not a regular file; delete it and start again");
  expect([readFileSync(elsewhere, "utf8"), statSync(elsewhere).mode & 0o777]).toEqual(["planted\n", 0o644]);
  expect(lstatSync(`${file}-token`).isSymbolicLink()).toBe(true);
});

test("a read-only token file is kept as it is", () => {
  const file = join(folder, "floor.db");
  writeFileSync(`${file}-token`, "known\n", { mode: 0o400 });
  expect(loadOrCreateToken(file, create)).toEqual({ token: "known" });
  expect(statSync(`${file}-token`).mode & 0o777).toBe(0o400);
});

test("other accounts have no access to a store from the start", async () => {
  const file = join(folder, "floor.db");
  const store = await openStore(file);
  for (const part of [file, `${file}-wal`, `${file}-shm`, `${file}-lock`]) {
    expect([part, statSync(part).mode & 0o077]).toEqual([part, 0]);
  }
  await store.close?.();
});

test("a missing store has no key and is not created", async () => {
  const file = join(folder, "floor.db");
  expect(await hasLiveKey(file)).toBe(false);
  expect(await hasLiveKey(undefined)).toBe(false);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});
