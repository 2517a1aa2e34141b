// The same story in every runtime: two speakers, 200 words, and a floor that is killed and restarted meanwhile.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { createProcesses, type FloorProcess, type Processes, runIn } from "../support/start-plenary-process.ts";
import { token } from "../support/start-test-floor.ts";
import { checkStory, type Story } from "./check-story.ts";

const root = join(import.meta.dirname, "../..");
const installed = join(root, "node_modules/.cache/plenary/runtimes/node_modules/.bin");
const words = 100;
const kills = 3;
const limits = { retryMs: 20, retryMaxMs: 500, requestMs: 5_000 };

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

/** A floor at a fixed address, and its SIGKILL with a restart, also by POST to `faultUrl`. */
async function startMortalFloor(name: string) {
  const file = join(processes.folder, `${name}.db`);
  let floor: FloorProcess = await processes.startFloor(file);
  let [killed, restart] = [0, Promise.resolve()];
  const { url, port } = floor;
  const kill = async () => {
    await floor.stop("SIGKILL");
    floor = await processes.startFloor(file, { port });
    killed += 1;
  };
  const fault = () => {
    restart = restart.then(kill);
    return restart;
  };
  const control = createServer((_, response) => {
    void fault();
    response.end("{}");
  });
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
  const faultUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
  const stop = async () => {
    control.close();
    await floor.stop("SIGKILL");
  };
  return { url, fault, faultUrl, killed: () => restart.then(() => killed), stop };
}

const script = join(import.meta.dirname, "story-main.mjs");
const runtimes = [
  ["Node", process.execPath, []],
  ["Bun", join(installed, "bun"), []],
  ["Deno", join(installed, "deno"), ["run", "--allow-all", "--no-lock", "--node-modules-dir=manual"]],
] as const;

/** npm installs them; elsewhere a missing runtime is not a failure. */
const isThere = (command: string) => existsSync(command) || process.env.CI === "true";

const present = runtimes.filter(([, command]) => isThere(command));

test.each(present)("each entry and each word once through kills, in %s", async (name, command, args) => {
  const floor = await startMortalFloor(name);
  const options = { url: floor.url, token, words, faults: kills, faultUrl: floor.faultUrl, limits };
  const { out, err, exitCode } = await runIn(root, command, [...args, script, JSON.stringify(options)]);
  expect([exitCode, err]).toEqual([0, expect.not.stringContaining("rror")]);
  expect(await floor.killed()).toBe(kills);
  await checkStory(floor.url, JSON.parse(out) as Story, words);
  await floor.stop();
});

test.skipIf(isMissing)("each entry and each word once through kills, in Chromium", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "story.mjs")],
    bundle: true,
    format: "iife",
    globalName: "story",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  const floor = await startMortalFloor("chromium");
  const browser = await startChromium();
  const page = await browser.newPage();
  // A page of the floor's own origin.
  await page.goto(`${floor.url}/livez`);
  await page.exposeFunction("fault", () => void floor.fault());
  await page.evaluate(outputFiles[0]?.text ?? "");
  const options = JSON.stringify({ url: floor.url, token, words, faults: kills, limits });
  const story: unknown = await page.evaluate(`story.tell({ ...${options}, fault: () => fault() })`);
  await browser.close();
  expect(await floor.killed()).toBe(kills);
  await checkStory(floor.url, story as Story, words);
  await floor.stop();
});
