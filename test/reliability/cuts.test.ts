import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNightly, report } from "../support/nightly.ts";
import { newSeed, seeded } from "../support/random.ts";
import { createProcesses, type Processes, verify } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { disordered, doubled, gaps, lost, missedBy, readLog, unanswered } from "./log-checks.ts";
import { post } from "./raw-http.ts";
import { type Follower, followByEvents, followBySocket } from "./reconnecting-viewers.ts";
import { authorization, createGate, newTalker, talk } from "./senders.ts";
import { startSocketAgent } from "./socket-agent.ts";
import { untilFinished } from "./sqlite-file.ts";

const cuts = isNightly ? 10_000 : 1_000;
const conversations = 6;
/** Each cutter has its own connections, which it cuts one after the other. */
const cutters = 4;
const agents = ["one", "two"].map((name) => `tag:bots.example,2026:${name}`);

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

test(`${cuts} cuts of viewers and agents lose nothing, duplicate nothing and keep the order`, async () => {
  const seed = newSeed("cuts");
  const random = seeded(seed);
  const file = join(processes.folder, "floor.db");
  const floor = await processes.startFloor(file);
  const gate = createGate();
  gate.let(floor.url);
  const talkers = Array.from({ length: conversations }, (_, index) => newTalker(`c${index}`));
  for (const { conversation: id, speaker } of talkers) {
    const opening = JSON.stringify({ id, owner: { identification: { speakerUri: speaker } } });
    expect((await post(`${floor.url}/api/v1/conversations`, opening, authorization)).status).toBe(201);
    for (const speakerUri of agents) {
      const seat = JSON.stringify({ identification: { speakerUri }, kind: "agent" });
      expect((await post(`${floor.url}/api/v1/conversations/${id}/seat`, seat, authorization)).status).toBe(200);
    }
  }
  // Half of the cuts for the agents, half for the viewers.
  const made = { agents: 0, viewers: 0 };
  const fate = () => {
    const chance = made.agents < cuts / 2 ? random(4) : 3;
    if (chance > 1) return "stays";
    made.agents += 1;
    return chance === 0 ? "before" : "after";
  };
  const bots = agents.map((speaker) => startSocketAgent(speaker, gate, fate));
  const followers = talkers.flatMap(({ conversation, speaker }) => [
    followBySocket(conversation, speaker, gate),
    followByEvents(conversation, speaker, gate),
  ]);
  let isOver = false;
  const untilHeard = (id: string) => waitFor(() => bots.every((bot) => bot.hasHeard(id)), `both agents to get ${id}`);
  const talking = Promise.all(talkers.map((talker) => talk(talker, gate, () => isOver, untilHeard)));
  // Agents disconnect by themselves, around their answers; viewers are cut at any moment.
  const cutter = async (victims: readonly Follower[]) => {
    while (made.viewers < cuts / 2) {
      made.viewers += 1;
      const victim = victims[random(victims.length)] as Follower;
      const before = { connections: victim.connections, heard: victim.heard.length };
      victim.cut();
      // The next cut of this cutter comes while the connection opens, with its first frame, or some frames later.
      const frames = random(4);
      const isBack = () => victim.connections > before.connections && victim.heard.length >= before.heard + frames;
      await waitFor(isBack, `${frames} frames of a viewer that came back`);
    }
  };
  await Promise.all(
    Array.from({ length: cutters }, (_, own) => cutter(followers.filter((_one, index) => index % cutters === own))),
  );
  await waitFor(() => made.agents >= cuts / 2, "the cuts of the agents");
  isOver = true;
  await talking;
  const left = await untilFinished(file);

  const problems: string[] = [];
  const deliveries = new Map(bots.flatMap((bot) => [...bot.deliveries]));
  let effects = 0;
  for (const talker of talkers) {
    const log = await readLog(floor.url, talker.conversation, talker.speaker);
    const found = [...gaps(log), ...lost(log, talker), ...doubled(log), ...disordered(log, talker)];
    found.push(...unanswered(log, talker, agents, deliveries));
    const wanted = log.filter(({ kind }) => kind === "event").length;
    effects += wanted;
    for (const { heard } of followers.filter(({ conversation }) => conversation === talker.conversation)) {
      // Frames that are still in transit arrive; lost ones do not.
      await waitFor(async () => heard.length >= wanted || undefined, "the last frame", 20_000).catch(() => {});
      found.push(...missedBy(log, heard));
    }
    problems.push(...found.map((problem) => `${talker.conversation}: ${problem}`));
  }
  for (const one of [...followers, ...bots]) one.stop();
  await Promise.all([...followers, ...bots].map(({ ended }) => ended));
  expect(floor.stderr()).toBe("");
  await floor.stop("SIGTERM");
  const again = [...deliveries.values()].filter(({ count }) => count > 1).length;
  const spoken = talkers.reduce((count, { acknowledged }) => count + acknowledged.length, 0);
  const streams = followers.reduce((count, { connections }) => count + connections, 0);
  const sockets = bots.reduce((count, bot) => count + bot.connections(), 0);
  report(
    `cuts: seed ${seed}, ${made.agents} cuts of agents and ${made.viewers} of viewers, ${streams} streams and ${sockets} agent sockets opened, ${spoken} envelopes, ` +
      `${effects} effects, ${deliveries.size} deliveries of which ${again} came again, ${left.dead} dead letters, ` +
      `${problems.length} violations`,
  );
  expect(problems.slice(0, 20)).toEqual([]);
  expect(left.dead).toBe(0);
  expect(made).toEqual({ agents: cuts / 2, viewers: cuts / 2 });
  expect(again).toBeGreaterThan(0);
  expect(await verify(processes, file)).toMatchObject({ exitCode: 0 });
}, 600_000);
