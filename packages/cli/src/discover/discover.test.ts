import { stripVTControlCharacters } from "node:util";
import type { FoundAgent } from "@plenary/client";
import {
  type ForeignAnswer,
  manifestAt,
  openForeignDiscovery,
  type Question,
} from "@plenary/sdk/testing/foreign-discovery";
import pc from "picocolors";
import stringWidth from "string-width";
import { afterEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo, type MemoryIoOptions } from "../testing/memory-io.ts";
import { foundLines } from "./discover.ts";

const hostile = "\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\r\nplenary: all is well";
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function finder(answer: (question: Question) => ForeignAnswer) {
  const one = await openForeignDiscovery(answer);
  opened.push(one);
  return one;
}

async function plenary(args: readonly string[], options: MemoryIoOptions = {}) {
  const io = createMemoryIo(options);
  const exitCode = await run(args, io);
  return { exitCode, ...io.written };
}

const clock = manifestAt("http://127.0.0.1:1/clock", "Clock", { score: 0.82 });
const parrot = manifestAt("http://127.0.0.1:1/parrot", "Parrot");
const reasons = [
  {
    speakerUri: clock.identification.speakerUri,
    serviceUrl: clock.identification.serviceUrl,
    words: ["time", "Tokyo"],
    language: "en",
    layers: ["text"],
    health: "answering",
    via: "tag:other,2026:1",
  },
];

test("recommended agents are printed best first, with a bar, reasons and the next step", async () => {
  const { url, questions } = await finder(() => ({ servicingManifests: [parrot, clock], reasons }));
  const result = await plenary(["discover", "what", "time is it", "--ask", url, "--language", "en", "--layer", "text"]);
  expect(result).toEqual({
    exitCode: 0,
    stdout: `1 ████████░░  82 %  Clock · Example
  Clock helps.
  matches time, Tokyo · knows en · has text · answers · recommended by tag:other,2026:1
  http://127.0.0.1:1/clock
2 ··········   –    Parrot · Example
  Parrot helps.
  http://127.0.0.1:1/parrot

Talk with the first: plenary chat http://127.0.0.1:1/clock
In a chat: /invite http://127.0.0.1:1/clock
`,
    stderr: "",
  });
  expect(questions[0]?.text).toBe("what time is it");
  expect(questions[0]?.search).toMatchObject({ languages: ["en"], layers: ["text"] });
});

test("--json prints one line per agent, at most --limit", async () => {
  const { url } = await finder(() => ({ servicingManifests: [parrot, clock], reasons }));
  const { stdout, exitCode } = await plenary(["discover", "time", "--ask", url, "--json", "--limit", "1"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { score, ...manifest } = clock;
  const { speakerUri: _, serviceUrl: __, ...why } = reasons[0] ?? {};
  expect(lines).toEqual([{ kind: "servicing", score, manifest, reasons: why }]);
  expect(exitCode).toBe(0);
});

test("without a result the exit code is 1 with a hint; a failing agent is reported and does not stop the others", async () => {
  const empty = await finder(() => ({}));
  const broken = await finder(() => ({ status: 503 }));
  const result = await plenary([
    "discover",
    `a ${hostile}`,
    "--ask",
    empty.url,
    "--ask",
    broken.url,
    "--layer",
    "audio",
  ]);
  expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  expect(result.stderr).toContain(`plenary: ${broken.url} did not answer: the agent answered with status 503\n`);
  expect(result.stderr).toContain(
    "try other words, leave out --layer, ask another agent, or add an agent to the floor",
  );
  expect(result.stderr).not.toContain("\u001b");
});

test("the exit code is 2 when no discovery agent could be asked", async () => {
  const broken = await finder(() => ({ status: 503 }));
  expect(await plenary(["discover", "time", "--ask", broken.url])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("no discovery agent could be asked"),
  });
});

test.each([
  [["discover"], "missing required argument"],
  [["discover", " "], "describe what you need"],
  [["discover", "x", "--ask", "tag:nobody"], "http or https"],
  [["discover", "x", "--ask", "http://me:secret@127.0.0.1/"], "Leave out the user name and password"],
  [["discover", "x", "--language", "two words"], "such as en"],
  [["discover", "x", "--limit", "0"], "from 1 to 50"],
  [["discover", "x", "--scope", "internal"], "external, all"],
  [["discover", "x", "--ask", "http://127.0.0.1:1/", "--floor", "http://127.0.0.1:1"], "--ask or --floor"],
])("%j is wrong usage, and the remedy is named", async (args, remedy) => {
  expect(await plenary(args)).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(remedy) });
});

test("control characters of a manifest are escaped and columns stay aligned, with and without colours", () => {
  const { identification, capabilities } = manifestAt("http://127.0.0.1:1/", "Mallory");
  const said = {
    conversationalName: hostile,
    organization: "時".repeat(80),
    synopsis: `${hostile} ${"x".repeat(300)}`,
  };
  const evil: FoundAgent = {
    kind: "discovery",
    score: 0.004,
    reasons: { words: [hostile] },
    manifest: { identification: { ...identification, ...said }, capabilities },
  };
  const [plain, coloured] = [false, true].map((isColoured) =>
    foundLines([evil], { columns: 40, colours: pc.createColors(isColoured) }),
  );
  expect(plain).toHaveLength(4);
  for (const line of plain ?? []) expect(stringWidth(line)).toBeLessThanOrEqual(40);
  expect(plain?.join("")).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(coloured?.map((line) => stripVTControlCharacters(line))).toEqual(plain);
  expect(plain?.[0]).toMatch(/^1 ░░░░░ {3}0 % {2}\\u001b/u);
});
