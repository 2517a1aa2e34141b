import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryIo } from "../memory-io.ts";
import { run } from "../run.ts";

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

test("what is to be different is said, and whoever is to convene is known", async () => {
  const what = "plenary: say what is to be different: --convener URL, --convener NAME or --policy POLICY";
  expect(await replay("c1")).toEqual([2, "", what]);
  const whom = "plenary: no ready-made convener is called quail: there are open, queue,";
  expect(await replay("c1", "--convener", "quail")).toEqual([2, "", expect.stringContaining(whom)]);
  expect(await replay("c1", "--convener", "http://[")).toEqual([2, "", expect.stringContaining("it is not a URL")]);
  expect(await replay("c1", "--policy", "strict")).toEqual([2, "", expect.stringContaining("guarded, spec, advisory")]);
});

test("only a store has the log as it is kept", async () => {
  const where = "plenary: a floor gives nobody its log as it is kept: name its store with --store FILE";
  expect(await replay("c1", "--convener", "none", "--floor", "http://127.0.0.1:1")).toEqual([2, "", where]);
  expect(await replay("c1", "--convener", "none", "--store", "none.db")).toEqual([
    2,
    "",
    expect.stringContaining("there is no such file; name it with --store"),
  ]);
});

test("a conversation that is not there is a no", async () => {
  await createSqliteStore(join(folder, "floor.db")).close();
  const none = "plenary: no conversation is called Fish: plenary export lists those there are";
  expect(await replay("Fish", "--convener", "none", "--store", "floor.db")).toEqual([1, "", none]);
});
