import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryIo } from "../memory-io.ts";
import { linesOf } from "./lines.ts";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "plenary-lines-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function linesIn(text: string): Promise<string[]> {
  writeFileSync(join(cwd, "log.jsonl"), text);
  const lines: string[] = [];
  for await (const line of linesOf("log.jsonl", createMemoryIo({ cwd }))) lines.push(line);
  return lines;
}

test("lines end as they do on any machine, and the last one need not", async () => {
  expect(await linesIn("a\r\nb\n\nc")).toEqual(["a", "b", "", "c"]);
  expect(await linesIn("a\n")).toEqual(["a"]);
  expect(await linesIn("")).toEqual([]);
});

test("a character on the edge of two pieces is one, and so is a line", async () => {
  const long = `${"x".repeat(65_535)}é${"y".repeat(100_000)}`;
  expect(await linesIn(`${long}\n${long}`)).toEqual([long, long]);
});

test("a very long line is read in about the time that as many short ones are", async () => {
  const timed = async (text: string) => {
    const before = performance.now();
    await linesIn(text);
    return performance.now() - before;
  };
  const short = await timed(`${"x".repeat(999)}\n`.repeat(32_000));
  expect(await timed("x".repeat(32_000_000))).toBeLessThan(Math.max(short * 5, 3_000));
});
