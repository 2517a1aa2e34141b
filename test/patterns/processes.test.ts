// The three patterns between separate processes, two levels deep: only the parties of a whisper can read it.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plenary } from "../support/plenary-command.ts";
import { createProcesses, type FloorProcess } from "../support/start-plenary-process.ts";
import { named, token } from "../support/start-test-floor.ts";
import { createReader, type Spoken } from "./floor-reader.ts";

const ann = "tag:people.example,2026:ann";
const bob = "tag:people.example,2026:bob";
const processes = createProcesses();
const script = join(import.meta.dirname, "agent-process.mjs");
const speakerOf = (name: string) => `tag:${name}.example,2026:1`;

type AgentProcess = { url: string; heard: () => Promise<string> };

async function startAgent(role: string, name: string, options: object = {}): Promise<AgentProcess> {
  const { said, ask } = await processes.announced(process.execPath, [
    script,
    JSON.stringify({ role, name, ...options }),
  ]);
  return { url: (said as { url: string }).url, heard: async () => (await ask<string[]>({})).join("\n") };
}

/** A key made with the command, for a mediator that opens sub-floors on this floor. */
function hostKey(store: string, name: string): string {
  const { stdout, stderr, exitCode } = plenary([
    "keys",
    "add",
    "--host",
    "--speaker",
    speakerOf(name),
    "--store",
    store,
  ]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

type Cast = Awaited<ReturnType<typeof gather>>;
let cast: Cast;

/** The outer conversations are on one floor, the sub-floors of the first mediator on another, those of the second on the first. */
async function gather() {
  const stores = ["outer.db", "inner.db"].map((file) => join(processes.folder, file));
  const [outer, inner, loud, polite, bystander] = await Promise.all([
    processes.startFloor(stores[0] ?? ""),
    processes.startFloor(stores[1] ?? ""),
    startAgent("plain", "loud", { loud: true }),
    startAgent("plain", "polite"),
    startAgent("bystander", "bystander"),
  ]);
  const access = (floor: FloorProcess, store: string, name: string) => ({
    url: floor.url,
    token: hostKey(store, name),
  });
  const [second, desk] = await Promise.all([
    startAgent("channel", "second", { target: loud.url }),
    startAgent("desk", "desk", { to: polite.url }),
  ]);
  const [first, deep] = await Promise.all([
    startAgent("channel", "first", { target: second.url }),
    startAgent("mediator", "deep", {
      floor: access(outer, stores[0] ?? "", "deep"),
      invite: [desk.url, bystander.url],
      whisperTo: [polite.url, bystander.url],
    }),
  ]);
  const invite = [deep.url, bystander.url];
  const floor = access(inner, stores[1] ?? "", "shallow");
  const shallow = await startAgent("mediator", "shallow", { floor, invite, whisperTo: invite });
  return { outer, inner, loud, polite, bystander, second, desk, first, deep, shallow };
}

beforeAll(async () => {
  cast = await gather();
});
afterAll(() => processes.close());

async function open(id: string, ...agents: AgentProcess[]) {
  const reader = createReader(cast.outer.url, token);
  const { call } = reader.host;
  await call("POST /api/v1/conversations", { body: { id, owner: named(ann) } });
  await call("POST /api/v1/conversations/:id/seat", { params: { id }, body: { ...named(bob), kind: "person" } });
  for (const { url } of agents) await reader.send(id, ann, [{ eventType: "invite", to: { serviceUrl: url } }]);
  return reader;
}

const words = (said: readonly Spoken[]) => said.map(({ sender, text }) => [sender, text]);

/** Asserts that only the parties find this text in the logs and exports of all floors. */
async function expectKept(canary: string, parties: readonly string[]): Promise<void> {
  const readers = [cast.outer, cast.inner].map(({ url }) => createReader(url, token));
  const found = await Promise.all(readers.map((reader) => reader.whoFinds(canary)));
  const finders = new Set(found.flat());
  expect([...finders].toSorted()).toEqual([...parties].toSorted());
}

test("channels: text passes through two channels to an agent without our SDK and back, and a whisper stays private", async () => {
  const floor = await open("channels", cast.first, cast.bystander);
  const asked = await floor.say("channels", ann, "who is there?");
  expect(asked).toEqual([
    { sender: speakerOf("first"), speaker: speakerOf("loud"), isPrivate: false, text: "loud heard: who is there?" },
  ]);
  const whispered = await floor.say("channels", ann, "canary-channel", speakerOf("first"));
  expect(whispered).toEqual([
    { sender: speakerOf("first"), speaker: speakerOf("loud"), isPrivate: true, text: "loud heard: canary-channel" },
  ]);
  await expectKept("canary-channel", [ann, speakerOf("first")]);
  for (const { heard } of [cast.first, cast.second, cast.loud]) expect(await heard()).toContain("canary-channel");
  for (const { heard } of [cast.bystander, cast.polite, cast.desk, cast.deep, cast.shallow]) {
    expect(await heard()).not.toContain("canary-channel");
  }
});

test("mediation: a sub-floor of a sub-floor on other servers, with a delegation in it, keeps a whisper private", async () => {
  const floor = await open("mediation", cast.shallow, cast.bystander);
  const asked = await floor.say("mediation", ann, "what is the matter?");
  const chain = "deep asks: shallow asks: what is the matter?";
  expect(words(asked)).toEqual([
    [speakerOf("shallow"), `shallow found out: deep found out: I'll pass you over. / polite heard: ${chain}`],
  ]);
  const whispered = await floor.say("mediation", ann, "canary-mediation", speakerOf("shallow"));
  expect(whispered).toMatchObject([{ sender: speakerOf("shallow"), isPrivate: true }]);
  expect(whispered[0]?.text).toContain("polite heard: deep asks: shallow asks: canary-mediation");
  const parties = [ann, ...["shallow", "deep", "polite"].map(speakerOf)];
  await expectKept("canary-mediation", parties);
  for (const { heard } of [cast.shallow, cast.deep, cast.polite]) expect(await heard()).toContain("canary-mediation");
  for (const { heard } of [cast.bystander, cast.desk, cast.loud, cast.first, cast.second]) {
    expect(await heard()).not.toContain("canary-mediation");
  }
  // Each sub-floor is found by the mediator that it serves; those of the whisper have ended.
  const inner = createReader(cast.inner.url, token);
  const subFloors = await inner.subFloorsOf("mediation");
  expect(subFloors.map(({ isClosed }) => isClosed).toSorted()).toEqual([false, true]);
  for (const { id, isClosed } of subFloors) {
    const deeper = await floor.subFloorsOf(id);
    expect(deeper.map((one) => one.isClosed)).toEqual([isClosed]);
  }
});
