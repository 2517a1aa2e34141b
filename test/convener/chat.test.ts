// `/convener` in a terminal, on a floor that has conveners of its own.
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { environment, main } from "../support/plenary-command.ts";
import { token } from "../support/start-test-floor.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

type Line = { kind?: string; role?: string; speakerUri?: string; told?: string; problem?: string };

async function chat(...typed: readonly string[]): Promise<Line[]> {
  const env = environment({ PLENARY_TOKEN: token });
  const args = [main, "chat", "--floor", floor.url, "--json", "--title", "Chairs"];
  const child = spawn(process.execPath, args, { cwd: tmpdir(), env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(typed.join("\n"));
  return (await text(child.stdout))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("/convener shows the convener; a built-in one, a URL or none replaces it", async () => {
  floor = await startConvenedFloor();
  const url = `${floor.url}/agents/convener-moderated`;
  const lines = await chat(
    ...["/convener", "/convener queue", "/convener open", "/convener"],
    ...[`/convener ${url}`, "/convener none", "/convener nosuch"],
  );
  const chairs = lines.flatMap(({ kind, role, speakerUri }) =>
    kind === "role" && role === "convener" ? [speakerUri?.split(":").at(-1)] : [],
  );
  expect(chairs).toEqual(["convener-queue", "convener-open", "convener-moderated", undefined]);
  const [before, after] = lines.flatMap(({ told = "" }) => (told.includes("To change it: /convener") ? [told] : []));
  expect(before).toMatch(/^There is no convener\.\n.*built in: .*open, queue,/su);
  expect(after).not.toContain("no convener");
  const problems = lines.flatMap(({ problem = [] }) => problem);
  expect(problems).toEqual([expect.stringContaining("nosuch is neither a URL nor a known agent")]);
});
