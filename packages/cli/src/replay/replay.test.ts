import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-replay-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function replay(...args: string[]): Promise<[number, string, string | undefined]> {
  const io = createMemoryIo({ cwd: folder });
  const exitCode = await run(["replay", ...args], io);
  return [exitCode, io.written.stdout, io.written.stderr.split("\n")[0]];
}

test("a replay needs --convener or --policy, and a known convener", async () => {
  const what = "plenary: give --convener URL, --convener NAME or --policy POLICY";
  expect(await replay("c1")).toEqual([2, "", what]);
  const expected = "plenary: there is no built-in convener quail: use open, queue,";
  expect(await replay("c1", "--convener", "quail")).toEqual([2, "", expect.stringContaining(expected)]);
  expect(await replay("c1", "--convener", "http://[")).toEqual([2, "", expect.stringContaining("it is not a URL")]);
  expect(await replay("c1", "--policy", "strict")).toEqual([2, "", expect.stringContaining("guarded, spec, advisory")]);
});

test("a replay needs the store, not a floor", async () => {
  const where = "plenary: a floor does not export the complete log: give its store with --store FILE";
  expect(await replay("c1", "--convener", "none", "--floor", "http://127.0.0.1:1")).toEqual([2, "", where]);
  expect(await replay("c1", "--convener", "none", "--store", "none.db")).toEqual([
    2,
    "",
    expect.stringContaining("there is no such file; give it with --store"),
  ]);
});

test("a missing conversation exits with 1", async () => {
  await createSqliteStore(join(folder, "floor.db")).close();
  const none = "plenary: no conversation matches Fish: plenary export lists all conversations";
  expect(await replay("Fish", "--convener", "none", "--store", "floor.db")).toEqual([1, "", none]);
});
