// What another convener or policy would have decided: the built command, a store that a real floor keeps open,
// and conveners without code of this project.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, textOf, utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, echo, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const bob = "tag:people.example,2026:bob";
const canary = "the kestrel nests behind the shed";

const { place, start } = usePlenaryProcesses();
let floor: TestFloor;
let parrot: Agent;

beforeEach(async () => {
  floor = await startTestFloor({ store: createSqliteStore(join(place.folder, "floor.db")) });
  parrot = await startAgent(echo, "tag:agents.example,2026:parrot");
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function open(id: string, more: object = {}): Promise<void> {
  const owner = { identification: { speakerUri: ann, conversationalName: "Ann" } };
  expect((await floor.call("POST", "/api/v1/conversations", { id, owner, title: "Birds", ...more })).status).toBe(201);
  await floor.call("POST", `/api/v1/conversations/${id}/seat`, {
    identification: { speakerUri: bob, conversationalName: "Bob" },
  });
}

/** A parrot repeats what Ann says until she takes the floor from it, and Bob asks for the floor before he speaks. */
async function talk(id: string): Promise<void> {
  const to = { speakerUri: parrot.speakerUri };
  await floor.invite(id, parrot);
  await floor.say(id, "Which bird is this?");
  await floor.send(id, [{ eventType: "revokeFloor", to, reason: "@override hush" }]);
  await floor.say(id, "Thank you.");
  await floor.send(id, [utterance(ann, canary, { to: { speakerUri: bob, private: true } })]);
  await floor.send(id, [{ eventType: "yieldFloor" }], { as: bob });
  await floor.send(id, [{ eventType: "requestFloor" }], { as: bob });
  await floor.say(id, "Where does it live?", { as: bob });
}

type Output = { exitCode: number | null; out: string; err: string };

async function replay(...args: string[]): Promise<Output> {
  const { ended, said } = start(["replay", ...args, "--store", "floor.db"]);
  return { exitCode: await ended, ...said };
}

type Line = Record<string, unknown> & { kind: string };

function linesIn({ exitCode, out, err }: Output): { differences: Line[]; summary: Line | undefined } {
  expect([exitCode, err]).toEqual([0, ""]);
  const lines: Line[] = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { differences: lines.slice(0, -1), summary: lines.at(-1) };
}

/** Accepts the role of convener, passes joins and leaves, and refuses everything else. */
const denier: Behaviour = (heard, me) => {
  const events = eventsIn(heard);
  const isInvited = events.some(({ eventType, to }) => eventType === "invite" && to?.serviceUrl === me.url);
  const passed = events.filter(({ eventType }) => eventType === "invite" || eventType === "revokeFloor");
  return answer(heard, me, ...(isInvited ? [{ eventType: "acceptInvite" }] : passed));
};

const utterances = (differences: readonly Line[]) =>
  differences
    .filter(({ kind }) => kind === "utterance")
    .map(({ speakerUri, was, would, because }) => [speakerUri, was, would, because]);

test("a replay under the same rules equals the record; other rules let the parrot speak, and nothing is written", async () => {
  await open("c1");
  await talk("c1");
  const file = join(place.folder, "floor.db");
  const [before, heard] = [readFileSync(file), parrot.heard.length];
  const runs = [
    ["--policy", "guarded"],
    ["--convener", "none"],
    ["--policy", "advisory"],
  ];
  const [same, stripped, advisory] = await Promise.all(runs.map((args) => replay("Birds", ...args)));
  expect(same).toMatchObject({ exitCode: 0, err: "", out: expect.stringContaining("\n\nNo difference.\n") });
  expect(stripped?.out).toContain("\n\nNo difference.\n");
  expect(advisory?.out).toMatch(/^parrot +was +[█|]+─*x─+x─+$/mu);
  expect(advisory?.out).toMatch(/^ +would +[█|]+─*\|─+\|─+$/mu);
  expect(advisory?.out).toMatch(
    /^parrot: 2 utterances \([\d:, ]+\) were refused and would be heard \(0\.4\.3\/advisory: /mu,
  );
  expect(advisory?.out).toContain("parrot was heard 1 time -> 3 times, was refused 2 times -> 0 times");
  for (const output of [same, stripped, advisory]) expect(output?.out).not.toContain(canary);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(parrot.heard).toHaveLength(heard);
});

test("a foreign convener is asked for its decisions, and gets no whisper", async () => {
  await open("c1");
  await talk("c1");
  const convener = await startAgent(denier, "tag:agents.example,2026:denier");
  const [before, heard] = [await floor.log("c1", ann), parrot.heard.length];
  const { differences, summary } = linesIn(await replay("c1", "--convener", convener.url, "--json"));
  const dropped = "2.2/convener-dropped";
  expect(utterances(differences)).toEqual([[bob, "heard", "refused", dropped]]);
  expect(differences.filter(({ kind }) => kind === "floor")).toContainEqual(
    expect.objectContaining({ speakerUri: bob, would: expect.objectContaining({ heard: 0, refused: 1, waits: 1 }) }),
  );
  expect(summary).toMatchObject({ convener: convener.speakerUri, asked: convener.heard.length, unanswered: 0 });
  const delegated = convener.heard.filter(({ headers }) => headers["plenary-delegated"] === "1");
  expect(delegated.flatMap(eventsIn).map(({ eventType }) => eventType)).toContain("requestFloor");
  expect(convener.heard.flatMap(textsIn)).not.toContain(canary);
  expect([await floor.log("c1", ann), parrot.heard.length]).toEqual([before, heard]);
});

test("a ready-made convener decides in the time of the record, and a second replay is equal", async () => {
  await open("c1");
  await talk("c1");
  const [output, again, named] = await Promise.all([
    replay("c1", "--convener", "queue"),
    replay("c1", "--convener", "queue"),
    replay("c1", "--convener", "convener-queue", "--json"),
  ]);
  expect(again).toEqual(output);
  expect(output?.out).toContain("replayed with convener queue");
  expect(output?.out).toMatch(/^convener-queue +would +█+$/mu);
  const { differences, summary } = linesIn(named as Output);
  expect(summary).toMatchObject({ convener: "tag:localhost,2025:convener-queue", unanswered: 0 });
  // An invited agent requests the floor before it gets it.
  expect(differences).toContainEqual(
    expect.objectContaining({
      kind: "floor",
      speakerUri: parrot.speakerUri,
      would: expect.objectContaining({ heldMs: 0 }),
    }),
  );
});

test("a recorded convener decides as before when only the policy changes, and is absent when it is stripped", async () => {
  const convener = await startAgent(denier, "tag:agents.example,2026:denier");
  await open("c2", { convener: convener.url });
  await floor.until("c2", (all) => all.some(({ kind, role }) => kind === "role" && role === "convener"));
  await floor.send("c2", [{ eventType: "yieldFloor" }], { as: bob });
  await floor.send("c2", [{ eventType: "requestFloor" }], { as: bob });
  await floor.say("c2", "Where does it live?", { as: bob });
  await floor.say("c2", "Hello?", { as: bob });
  const dropped = (entries: Awaited<ReturnType<TestFloor["log"]>>) =>
    entries.filter(({ because }) => because === "2.2/convener-dropped");
  await floor.until("c2", (all) => all.length > 0);
  const said = dropped(await floor.log("c2", bob)).find(({ event }) => textOf(event) === "Hello?");
  expect((await floor.call("POST", "/api/v1/conversations/c2/erase", { seq: said?.seq })).status).toBe(200);
  const heard = convener.heard.length;
  const [kept, stripped] = await Promise.all([
    replay("c2", "--policy", "guarded"),
    replay("c2", "--convener", "none", "--json"),
  ]);
  expect(kept.out).toContain("\n\nNo difference.\n");
  expect(kept.out).toContain("1 entry erased: replayed without text.");
  const { differences, summary } = linesIn(stripped);
  const granted = "2.2/utterance/granted/no-convener";
  expect(utterances(differences)).toEqual([
    [bob, "refused", "heard", granted],
    [bob, "refused", "heard", granted],
  ]);
  expect(summary).toMatchObject({ asked: 0, erased: 1 });
  expect(convener.heard).toHaveLength(heard);
});

test("an unreachable convener is an error with a hint, and a convener that hangs is given up", async () => {
  await open("c1", { convenerDeadlineMs: 1_500 });
  await talk("c1");
  const gone = await startAgent(denier);
  await gone.close();
  const mute = await startAgent(() => undefined);
  const tired = await startAgent((heard, me) =>
    heard.headers["plenary-delegated"] === "1" ? undefined : denier(heard, me),
  );
  const [unreachable, hanging, lapsing] = await Promise.all([
    replay("c1", "--convener", gone.url),
    replay("c1", "--convener", mute.url),
    replay("c1", "--convener", tired.url, "--json"),
  ]);
  const remedy = "start it, fix its address, or use a built-in one: --convener queue\n";
  for (const { exitCode, out, err } of [unreachable, hanging]) {
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err).toMatch(/^plenary: the convener at http:\/\/127\.0\.0\.1:\d+\/ cannot be called: /u);
    expect(err).toContain(remedy);
  }
  expect(hanging.err).toContain("it did not answer within 1.5 seconds");
  const { differences, summary } = linesIn(lapsing);
  expect(differences).toContainEqual({ kind: "lapse", was: 0, would: 1 });
  expect(Number(summary?.unanswered)).toBeGreaterThan(1);
});
