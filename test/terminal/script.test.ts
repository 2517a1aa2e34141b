import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { environment, main } from "../support/plenary-command.ts";
import { runPlenary } from "../support/run-plenary.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { parrot, useChatFloor } from "./chat-floor.ts";

const { place } = useChatFloor();

/** No terminal at either end. */
function chat(args: readonly string[], input: string, env: Record<string, string> = {}) {
  return runPlenary(["chat", ...args], { cwd: place.folder, input, env });
}

/** As a script runs it. */
async function chatProcess(args: readonly string[], input: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, "chat", ...args], { cwd: place.folder, env: environment(env) });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await ended, stdout, stderr };
}

type Said = {
  seq?: number;
  kind?: string;
  sender?: string;
  event?: { eventType: string; parameters?: Parameters };
} & Printed;
type Printed = { told?: string; problem?: string };
type Parameters = { dialogEvent?: { features: { text: { tokens: { value: string }[] } } } };

function wordsIn({ event }: Said): string[] {
  return event?.parameters?.dialogEvent?.features.text.tokens.map(({ value }) => value) ?? [];
}

function linesIn(stdout: string): Said[] {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("--json: each line waits for the answers to the line before, and the command ends after the last", async () => {
  const agent = await parrot("Parrot");
  const { exitCode, stdout } = await chatProcess(
    ["--json", agent.url],
    'one\n{"text":"two","to":"Parrot","private":true}\n',
  );
  const lines = linesIn(stdout);
  expect(exitCode).toBe(0);
  expect(lines[0]).toMatchObject({ conversation: expect.any(String), floor: place.url });
  expect(lines.flatMap(wordsIn)).toEqual(["one", "Parrot heard: one", "two", "Parrot heard: two"]);
  expect(lines.slice(1).map(({ seq }) => seq)).toEqual(lines.slice(1).map((_, index) => index + 1));
  expect(agent.heard.at(-1)?.events[0]?.to).toMatchObject({ private: true });
});

test("--json: a refusal is printed as a problem, and the exit code is 1", async () => {
  const { exitCode, stdout } = await chat(["--json", "--title", "Alone"], '/whisper Nobody x\n/who\n{"say":1}\n');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('{"problem":"There are no other participants: /invite adds an agent."}');
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

test("a conversation is found by the start of its id or by its title; an unknown one is an error", async () => {
  const { stdout } = await chat(["--json", "--title", "Budget 2027"], "");
  const { conversation }: { conversation: string } = JSON.parse(stdout.split("\n")[0] ?? "");
  for (const name of [conversation.slice(0, 8), "budget 2027"]) {
    const again = await chat(["--json", "--conversation", name], "");
    expect(again.stdout).toContain(`"conversation":"${conversation}"`);
  }
  const wrong = await chat(["--conversation", "nothing of the kind"], "");
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toBe(
    "plenary: no conversation matches nothing of the kind: plenary export lists all conversations\n",
  );
});

test("an unknown agent is an error that lists the known agents", async () => {
  const { exitCode, stderr } = await chat(["nosuch"], "");
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: nosuch is neither a URL nor a known agent \(.+\)\.\n$/u);
});

test("an unreachable floor is an error with a hint", async () => {
  const { exitCode, stderr } = await chat(["--floor", "http://127.0.0.1:9", "--json"], "hello\n", {
    PLENARY_TOKEN: place.token,
  });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: the floor at http:\/\/127\.0\.0\.1:9 does not answer/u);
});

/** Asks a question after two utterances, and keeps the replies. */
async function waiter() {
  const replies: unknown[] = [];
  const options = [
    { id: "g", label: "Green tea", value: "green" },
    { id: "b", label: "Black tea", value: "black" },
  ];
  const questions: Record<string, object> = {
    "I am thirsty": { id: "q1", text: "Which tea?", options },
    "I am bored": { id: "q2", text: "Why?", required: false },
  };
  const agent = await startScriptedAgent({
    name: "Waiter",
    roles: { convener: true },
    onUtterance(cue) {
      const reply = cue.features.interactionReply?.tokens[0]?.value;
      if (reply !== undefined) replies.push(reply);
      const value = questions[cue.text];
      const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
      const ask = () => utterance(agent.speakerUri, "A question.", { features: { interaction } });
      cue.answer(...(value === undefined ? [] : [ask()]));
    },
  });
  return { ...agent, replies };
}

/** A conversation with one person, to return to. */
async function begun(title: string): Promise<{ conversation: string; speakerUri: string }> {
  const { stdout } = await chat(["--json", "--title", title], "");
  return JSON.parse(stdout.split("\n")[0] ?? "");
}

test("--json: every command has its effect at the floor", async () => {
  const agent = await waiter();
  const { conversation, speakerUri } = await begun("Story");
  const sender = { speakerUri };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender };
  const request = JSON.stringify({ openFloor: { ...openFloor, events: [{ eventType: "requestFloor" }] } });
  const typed = [
    ...["I am thirsty", "/answer b", "I am bored", "/skip"],
    ...["/grant Waiter", "/revoke Waiter too loud", "/grant Waiter", "/manifests Waiter"],
    ...["/raw", "/log 3", "/stop", "/resume"],
    ...["/convener Waiter", "/convener none", "/title Tea talk"],
    ...['/raw {"eventType":"yieldFloor","reason":"my turn is over"}', `/raw ${request}`, "/raw 1", "/log 2"],
    ...["/export jsonl taken.jsonl", "/close"],
  ];
  const { exitCode, stdout } = await chat(["--json", "--conversation", conversation, agent.url], typed.join("\n"));
  expect(stdout).not.toContain('"problem"');
  expect(exitCode).toBe(0);
  expect(agent.replies).toEqual([
    { id: "q1", values: ["black"] },
    { id: "q2", values: [] },
  ]);
  const waiterUri = agent.speakerUri;
  const lines = linesIn(stdout);
  const begin = lines.findIndex(({ event, sender: by }) => event?.eventType === "grantFloor" && by === speakerUri);
  // Entries that the floor writes for itself in between do not count.
  const notes = new Set(["received", "hidden"]);
  const entries = lines.slice(begin).filter(({ kind }) => kind !== undefined && !notes.has(kind));
  expect(entries).toMatchObject([
    { event: { eventType: "grantFloor", to: { speakerUri: waiterUri } }, sender: speakerUri },
    { event: { eventType: "revokeFloor", to: { speakerUri: waiterUri }, reason: "too loud" }, sender: speakerUri },
    { event: { eventType: "grantFloor", to: { speakerUri: waiterUri } }, sender: speakerUri },
    { event: { eventType: "getManifests", to: { speakerUri: waiterUri } }, sender: speakerUri },
    { event: { eventType: "publishManifests" }, sender: waiterUri },
    { kind: "role", role: "convener", speakerUri: waiterUri },
    { event: { eventType: "grantFloor", reason: "you convene now" }, target: waiterUri },
    { kind: "role", role: "convener" },
    { event: { eventType: "grantFloor", reason: "you convene no longer" }, target: waiterUri },
    { kind: "titled", title: "Tea talk", by: speakerUri },
    { event: { eventType: "yieldFloor", reason: "my turn is over" }, sender: speakerUri },
    { event: { eventType: "requestFloor" }, sender: speakerUri },
    { event: { eventType: "grantFloor" }, target: speakerUri },
  ]);
  expect(entries[6]).not.toHaveProperty("speakerUri");
  expect(lines.flatMap(({ told = [] }) => told)).toEqual([
    // An entry that is hidden from this reader is neither the newest entry nor one of three.
    expect.stringContaining('"eventType": "publishManifests"'),
    expect.stringMatching(/^(?! *\d+ {2}hidden)(?:.*\n(?! *\d+ {2}hidden)){2}.*publishManifests {2}Waiter {2}\[.*$/u),
    ...["No agent is answering: there is nothing to stop.", "No agent was stopped."],
    expect.stringMatching(/^\{"openFloor":/u),
    expect.stringContaining('"kind": "opened"'),
    expect.stringMatching(/grantFloor {2}plenary-\w+ {2}to You {2}\[/u),
    "Written to taken.jsonl.",
    `Closed for everyone. To read it later: plenary export ${conversation}`,
  ]);
  const file = join(place.folder, "taken.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain("I am thirsty");
  const again = await chat(["--json", "--conversation", conversation], "");
  expect(linesIn(again.stdout).at(-1)).toMatchObject({ kind: "closed" });
});

test("--json: a refusal of an envelope by the floor is printed, and nothing else is sent", async () => {
  const { exitCode, stdout } = await chat(
    ["--json", "--title", "Raw"],
    '/raw {"openFloor":{"events":7}}\n/raw {"ovon":{}}\n/raw {"eventType":\n',
  );
  expect(exitCode).toBe(1);
  const problems = linesIn(stdout).flatMap(({ problem = [] }) => problem);
  expect(problems).toEqual([
    expect.stringMatching(/^The envelope cannot be read: the conversation section is a mandatory object/u),
    expect.stringMatching(/^The envelope cannot be read: /u),
    expect.stringMatching(/^Invalid JSON: /u),
  ]);
});
