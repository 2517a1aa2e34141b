// Trust on first use: a speaker stays where it first joined from, until somebody who may says otherwise.
import { createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Agent, answer, closeAgents, eventsIn, startAgent, utterance } from "../floor/agents.ts";
import { startWorld, type World } from "../floor/world.ts";

let world: World;
let good: Agent;
let evil: Agent;
const name = "tag:bank.example,2026:teller";

const talks = (heard: Parameters<typeof eventsIn>[0], me: Agent) => {
  const isAsked = eventsIn(heard).some(({ eventType }) => eventType === "utterance");
  return answer(heard, me, ...(isAsked ? [utterance(me.speakerUri, `from ${me.url}`)] : []));
};

beforeEach(async () => {
  world = await startWorld();
  good = await startAgent(talks, name);
  evil = await startAgent(talks, name);
});
afterEach(async () => {
  await world.close();
  await closeAgents();
  expect(world.errors).toEqual([]);
});

const seated = async (conversation: string) => {
  const { conversants } = (await world.call("GET", `/api/v1/conversations/${conversation}`)).body as {
    conversants: { identification: { speakerUri: string; serviceUrl: string } }[];
  };
  return conversants.map(({ identification }) => identification).filter(({ speakerUri }) => speakerUri === name);
};

const invite = (conversation: string, to: object) => world.send(conversation, [{ eventType: "invite", to }]);

test("another address that answers under the name of a speaker who joined elsewhere does not join", async () => {
  await world.invite("first", good);
  expect(await seated("first")).toMatchObject([{ serviceUrl: good.url }]);
  const answered = await invite("second", { serviceUrl: evil.url });
  expect(JSON.stringify(answered.body.consequences)).toContain("declineInvite");
  expect(await seated("second")).toEqual([]);
  const log = JSON.stringify(await world.log("second"));
  expect(log).toContain("guard/bound-elsewhere");
  expect(log).toContain("rebind");
});

test("an invite that names the speaker with another address is refused at once, with the remedy", async () => {
  await world.invite("first", good);
  const { body } = await invite("second", { speakerUri: name, serviceUrl: evil.url });
  expect(body.refused).toMatchObject([
    { because: "guard/bound-elsewhere", problem: expect.stringContaining("rebind") },
  ]);
  expect(evil.heard).toEqual([]);
});

test("the operator binds a speaker to its new address in one step, for every conversation", async () => {
  await world.invite("first", good);
  await invite("second", { serviceUrl: evil.url });
  const rebind = { speakerUri: name, serviceUrl: evil.url };
  expect((await world.call("POST", "/api/v1/conversations/second/rebind", rebind)).status).toBe(200);
  for (const conversation of ["second", "third"]) {
    await invite(conversation, rebind);
    expect(await seated(conversation)).toMatchObject([{ serviceUrl: evil.url }]);
  }
  const { body } = await invite("fourth", { speakerUri: name, serviceUrl: good.url });
  expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
});

test("a speaker that is seated moves to its new address with the same step, and hears from then on there", async () => {
  await world.invite("first", good);
  await world.call("POST", "/api/v1/conversations/first/rebind", { speakerUri: name, serviceUrl: evil.url });
  const before = good.heard.length;
  await world.say("first", "where are you?");
  expect(good.heard.length).toBe(before);
  expect(evil.heard.length).toBeGreaterThan(0);
});

test("a floor with the spec policy takes whoever answers", async () => {
  await world.invite("first", good);
  await world.call("POST", "/api/v1/conversations", {
    id: "second",
    policy: "spec",
    owner: { identification: { speakerUri: "tag:people.example,2026:ann" } },
  });
  await invite("second", { serviceUrl: evil.url });
  expect(await seated("second")).toMatchObject([{ serviceUrl: evil.url }]);
});

test("what was trusted is remembered after a restart", async () => {
  const store = createMemoryStore();
  const once = await startWorld({ store });
  await once.invite("first", good);
  await once.close();
  await world.close();
  good = await startAgent(talks, name);
  evil = await startAgent(talks, name);
  world = await startWorld({ store });
  await invite("second", { serviceUrl: evil.url });
  expect(await seated("second")).toEqual([]);
});
