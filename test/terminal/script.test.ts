import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { environment, main } from "../cli/plenary.ts";
import { parrot, stage } from "./stage.ts";

const { place } = stage();

/** As a script runs it: no terminal at either end. */
async function chat(args: readonly string[], input: string) {
  const child = spawn(process.execPath, [main, "chat", ...args], { cwd: place.folder, env: environment() });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await ended, stdout, stderr };
}

type Said = { seq?: number; kind?: string; event?: { eventType: string; parameters?: Parameters } };
type Parameters = { dialogEvent?: { features: { text: { tokens: { value: string }[] } } } };

function wordsIn({ event }: Said): string[] {
  return event?.parameters?.dialogEvent?.features.text.tokens.map(({ value }) => value) ?? [];
}

test("--json: each line waits for what answers the one before, and it ends when all is said", async () => {
  const agent = await parrot("Parrot");
  const { exitCode, stdout } = await chat(["--json", agent.url], 'one\n{"text":"two","to":"Parrot","private":true}\n');
  const lines: Said[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exitCode).toBe(0);
  expect(lines[0]).toMatchObject({ conversation: expect.any(String), floor: place.url });
  expect(lines.flatMap(wordsIn)).toEqual(["one", "Parrot heard: one", "two", "Parrot heard: two"]);
  expect(lines.slice(1).map(({ seq }) => seq)).toEqual(lines.slice(1).map((_, index) => index + 1));
  expect(agent.heard.at(-1)?.events[0]?.to).toMatchObject({ private: true });
});

test("--json: what is refused is told as a problem, and the exit code says so", async () => {
  const { exitCode, stdout } = await chat(["--json", "--title", "Alone"], '/whisper Nobody x\n/who\n{"say":1}\n');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('{"problem":"Nobody else is here: /invite brings somebody."}');
  expect(stdout).toMatch(/^\{"told":"Alone \(/mu);
  expect(stdout).toMatch(/^\{"problem":"A command is/mu);
});

test("without a terminal and without --json the transcript is plain lines", async () => {
  const agent = await parrot("Parrot");
  const { exitCode, stdout } = await chat([agent.url], "hello\n");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("You  hello\nParrot  Parrot heard: hello\n");
  expect(stdout).not.toContain("\u001b");
});

test("a conversation is found by the beginning of its id or by its title, and a wrong one is told", async () => {
  const { stdout } = await chat(["--json", "--title", "Budget 2027"], "");
  const { conversation }: { conversation: string } = JSON.parse(stdout.split("\n")[0] ?? "");
  for (const name of [conversation.slice(0, 8), "budget 2027"]) {
    const again = await chat(["--json", "--conversation", name], "");
    expect(again.stdout).toContain(`"conversation":"${conversation}"`);
  }
  const wrong = await chat(["--conversation", "nothing of the kind"], "");
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toBe("plenary: there is no conversation nothing of the kind; --last takes up the last one\n");
});

test("an agent that nobody knows is told with those there are", async () => {
  const { exitCode, stderr } = await chat(["nosuch"], "");
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: nosuch is neither a URL nor an agent known here \(.+\)\.\n$/u);
});

test("a floor that is not there is told at once, with the way out", async () => {
  const { exitCode, stderr } = await chat(["--floor", "http://127.0.0.1:9", "--json"], "hello\n");
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: the floor at http:\/\/127\.0\.0\.1:9 does not answer/u);
});
