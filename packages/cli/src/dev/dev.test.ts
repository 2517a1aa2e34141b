import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { stablePort } from "../serve/listen-port.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { programAt } from "./agent-process.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-dev-"));
  mkdirSync(join(folder, "bot"));
  writeFileSync(join(folder, "bot", "agent.js"), "");
});

afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  [
    ["dev", "."],
    "cannot open .: it has no agent.js; give the agent's file, or create an agent with plenary new-agent DIR",
  ],
  [["dev", "nowhere"], "cannot open nowhere: it does not exist; give the agent's file"],
  [["dev", "bot"], "no floor is running"],
  [
    ["dev", "bot", "--floor", "https://floor.example"],
    "it is on another machine, which cannot call an agent on this one",
  ],
  [["dev", "bot", "--port", "http"], "A port is a number from 0 to 65535."],
])("%j says what is missing", async (args, problem) => {
  const io = createMemoryIo({ cwd: folder, env: { PLENARY_TOKEN: "a-token" } });
  expect(await run(args, io)).toBe(2);
  expect(io.written.stderr).toContain(problem);
});

test("the agent's file is the given one, or the main file of its package", () => {
  const named = join(folder, "bot", "other.mjs");
  writeFileSync(named, "");
  expect(programAt("bot", folder).file).toMatch(/bot.agent\.js$/u);
  expect(programAt("bot/other.mjs", folder).file).toMatch(/bot.other\.mjs$/u);
  writeFileSync(join(folder, "bot", "package.json"), '{ "main": "other.mjs" }');
  expect(programAt("bot", folder)).toEqual(programAt("bot/other.mjs", folder));
});

test("an agent gets the same port again", async () => {
  const program = programAt("bot", folder);
  expect(await stablePort(program.file)).toBe(await stablePort(program.file));
});
