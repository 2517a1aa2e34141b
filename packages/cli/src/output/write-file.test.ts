import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileError } from "../errors.ts";
import { privateMode, writeFile } from "./write-file.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "plenary-write-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const makePipe = "mkfifo";
const hasPipes = process.platform !== "win32";

test("a new file is written and no temporary file is left", async () => {
  await writeFile("out.json", "new", cwd);
  expect(readFileSync(join(cwd, "out.json"), "utf8")).toBe("new");
  expect(readdirSync(cwd)).toEqual(["out.json"]);
});

test("an old file is replaced and keeps its mode", async () => {
  writeFileSync(join(cwd, "out.json"), "old");
  chmodSync(join(cwd, "out.json"), 0o640);
  await writeFile("out.json", "new", cwd);
  expect(readFileSync(join(cwd, "out.json"), "utf8")).toBe("new");
  expect(statSync(join(cwd, "out.json")).mode & 0o777).toBe(0o640);
});

test("a private file gets mode 0600, also when it existed with a wider mode", async () => {
  writeFileSync(join(cwd, "out.json"), "old", { mode: 0o644 });
  await writeFile("out.json", "new", cwd, privateMode);
  expect(statSync(join(cwd, "out.json")).mode & 0o777).toBe(0o600);
});

test("a reader that has the old file open keeps the old text", async () => {
  writeFileSync(join(cwd, "out.json"), "old");
  const before = statSync(join(cwd, "out.json")).ino;
  await writeFile("out.json", "new", cwd);
  expect(statSync(join(cwd, "out.json")).ino).not.toBe(before);
});

test("a link stays a link", async () => {
  writeFileSync(join(cwd, "real.json"), "old");
  symlinkSync("real.json", join(cwd, "link.json"));
  await writeFile("link.json", "new", cwd);
  expect(lstatSync(join(cwd, "link.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, "real.json"), "utf8")).toBe("new");
});

test.skipIf(!hasPipes)("a pipe is written to, not replaced", async () => {
  const pipe = join(cwd, "pipe");
  execFileSync(makePipe, [pipe]);
  // Output of a process is lost when it ends before a reader is attached.
  const read = text(spawn("cat", [pipe]).stdout);
  await writeFile("pipe", "through", cwd);
  expect(await read).toBe("through");
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test("a directory and a missing directory are clear errors", async () => {
  mkdirSync(join(cwd, "out.json"));
  await expect(writeFile("out.json", "new", cwd)).rejects.toThrow(/cannot write out\.json: .*directory/u);
  await expect(writeFile("none/out.json", "new", cwd)).rejects.toBeInstanceOf(FileError);
  expect(readdirSync(cwd)).toEqual(["out.json"]);
  expect(existsSync(join(cwd, "none"))).toBe(false);
});
