import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { createProcesses, type Processes, verify } from "../support/start-plenary-process.ts";
import { dialogEventOf, readLog } from "./log-checks.ts";
import { get, post } from "./raw-http.ts";
import { authorization } from "./senders.ts";

/** A program of util-linux. */
const limiter = "prlimit";
const speaker = "tag:people.example,2026:ann";

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

/** Makes the system refuse each write of this process to a file, like a full disk, or allow them again. */
function limitFiles(pid: number, bytes: "0" | "unlimited"): void {
  const { status, stderr } = spawnSync(limiter, ["--pid", String(pid), `--fsize=${bytes}:`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`prlimit failed: ${stderr}`);
}

function say(url: string, words: string) {
  const body = JSON.stringify(envelopeOf("c1", speaker, [utterance(speaker, words, { id: words })]));
  return post(`${url}/openfloor`, body, { ...authorization, "idempotency-key": words });
}

const statusOf = async (url: string, path: string) => (await get(`${url}${path}`)).status;

async function wordsIn(url: string): Promise<string[]> {
  const events = (await readLog(url, "c1", speaker)).filter(({ kind }) => kind === "event");
  return events.flatMap((entry) => dialogEventOf(entry)?.text ?? []);
}

test("a floor that cannot write reports it at the first probe, acknowledges nothing, and recovers when it can write", async () => {
  const file = join(processes.folder, "full.db");
  const floor = await processes.startFloor(file);
  expect((await say(floor.url, "before")).status).toBe(200);
  limitFiles(floor.pid, "0");
  // No write was tried since, and the first probe reports the fault all the same.
  expect(await statusOf(floor.url, "/readyz")).toBe(503);
  const refused = await Promise.all(["one", "two", "three"].map((words) => say(floor.url, words)));
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  for (let count = 0; count < 3; count += 1) expect(await statusOf(floor.url, "/readyz")).toBe(503);
  expect(await statusOf(floor.url, "/livez")).toBe(200);
  expect(await wordsIn(floor.url)).toEqual(["before"]);
  limitFiles(floor.pid, "unlimited");
  expect(await statusOf(floor.url, "/readyz")).toBe(200);
  expect((await say(floor.url, "one")).status).toBe(200);
  expect(await wordsIn(floor.url)).toEqual(["before", "one"]);
  await floor.stop("SIGKILL");
  const again = await processes.startFloor(file);
  expect(await wordsIn(again.url)).toEqual(["before", "one"]);
  await again.stop("SIGTERM");
  expect(await verify(processes, file)).toMatchObject({ exitCode: 0 });
});
