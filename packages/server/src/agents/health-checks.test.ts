import { relayUrlOf } from "@plenary/floor";
import { envelope } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import { defaultDeliveryLimits } from "../limits.ts";
import type { OutboundMessage, Outcome } from "../ports/outbound.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock, settle } from "../testing/fake-clock.ts";
import { createAgentChecks } from "./health-checks.ts";
import type { Hosted } from "./hosted.ts";
import { agentLocations, createAgentRegistry } from "./registry.ts";

const self = { speakerUri: "tag:floor", serviceUrl: "http://here.example/openfloor" };
const bot = "tag:bot.example,2026:bot";
const answered: Outcome = {
  kind: "envelope",
  dialect: "1.1",
  carried: {},
  encounter: { issues: [] },
  envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: bot }, events: [] }),
};

/** An agent that answers when the test says so. */
function checking({ connected = [] as string[], hosts = [] as string[] } = {}) {
  const clock = createFakeClock();
  const sent: { message: OutboundMessage; answer: (outcome: Outcome) => void }[] = [];
  const outbound = {
    reaches: () => true,
    send: (message: OutboundMessage) =>
      new Promise<Outcome>((answer) => {
        sent.push({ message, answer });
        message.signal.addEventListener("abort", () => answer({ kind: "aborted" }));
      }),
  };
  const hosted: Pick<Hosted, "serviceUrls"> = { serviceUrls: hosts };
  const sockets: Pick<SocketOutbound, "connected" | "isConnected"> = {
    connected: () => connected,
    isConnected: (speaker) => connected.includes(speaker),
  };
  const desk = { clock, self, hosted: hosted as Hosted, sockets: sockets as SocketOutbound };
  const locations = agentLocations(desk);
  const store = createMemoryStore().agents;
  const agents = createAgentRegistry({ store, stored: [], clock, locations, onError: () => {} });
  let made = 0;
  const ids = { newId: () => `id${made++}`, random: () => 0 };
  const checks = createAgentChecks({ ...desk, ids, agents, outbounds: [outbound], limits: defaultDeliveryLimits });
  return { clock, sent, checks, agents };
}

test("concurrent checks of one agent send one request, and the next check sends another", async () => {
  const { sent, checks } = checking();
  const asked = [checks.one("http://a.example/"), checks.one("http://a.example/")];
  await settle();
  sent[0]?.answer(answered);
  expect((await Promise.all(asked)).map(({ health }) => health)).toEqual(["answering", "answering"]);
  const again = checks.one("http://a.example/");
  await settle();
  sent[1]?.answer(answered);
  await again;
  expect(sent).toHaveLength(2);
  // An agent would answer a repeated id from its cache.
  expect(sent[0]?.message.delivery).not.toBe(sent[1]?.message.delivery);
});

test("an agent that does not answer in time is silent, and the check ends", async () => {
  const { checks, clock } = checking();
  const asked = checks.one("http://a.example/", { isAdded: true });
  await clock.advance(defaultDeliveryLimits.manifestAnswerMs);
  expect(await asked).toMatchObject({
    health: "silent",
    trouble: { code: "timeout", detail: "it did not answer within 10 seconds" },
  });
});

test("all agents are checked eight at a time, within a minute", async () => {
  const { checks, agents, clock, sent } = checking();
  for (let count = 0; count < 100; count += 1) agents.learn(`http://a.example/${count}`, { outcome: answered });
  const all = checks.all();
  await settle();
  expect(sent).toHaveLength(8);
  await clock.advance(60_000);
  const known = await all;
  expect(sent).toHaveLength(48);
  expect(known).toHaveLength(100);
  expect(known.filter(({ health }) => health === "silent")).toHaveLength(48);
});

test("a newly connected agent is checked once, and does not delay the list", async () => {
  const { checks, agents, clock, sent } = checking({ connected: [bot], hosts: ["http://here.example/agents/echo"] });
  const first = checks.refresh();
  await settle();
  sent[0]?.answer(answered);
  await clock.advance(1_000);
  await first;
  const relay = relayUrlOf(self.serviceUrl, bot);
  expect(sent.map(({ message }) => message.to)).toEqual([
    expect.objectContaining({ serviceUrl: "http://here.example/agents/echo" }),
    { speakerUri: bot, serviceUrl: relay },
  ]);
  expect(agents.all()).toMatchObject([
    { serviceUrl: relay, isConnected: true, health: "answering" },
    { serviceUrl: "http://here.example/agents/echo", isHosted: true, health: "answering" },
  ]);
  await checks.refresh();
  expect(sent).toHaveLength(2);
});

test("the relay address of a person is not an agent", async () => {
  const { checks, agents, sent } = checking();
  const asked = checks.one(relayUrlOf(self.serviceUrl, "tag:ann.example,2026:ann"), { isAdded: true });
  await settle();
  const { encounter: _, ...unheard } = answered as Outcome & { kind: "envelope" };
  sent[0]?.answer(unheard);
  await expect(asked).rejects.toMatchObject({ code: "refused", details: { pointer: "/serviceUrl" } });
  expect(agents.all()).toEqual([]);
});

test("agents without an exchange for a minute are checked before the list is shown, for at most a second", async () => {
  const { clock, sent, checks, agents } = checking();
  const added = checks.one("http://a.example/", { isAdded: true });
  await settle();
  sent[0]?.answer(answered);
  await added;
  await checks.refresh();
  expect(sent).toHaveLength(1);
  await clock.advance(60_001);
  const looking = checks.refresh();
  await settle();
  expect(sent).toHaveLength(2);
  await clock.advance(1_000);
  await looking;
  expect(agents.all()).toMatchObject([{ health: "answering" }]);
  sent[1]?.answer({ kind: "failure", failure: "unreachable", code: "unreachable", detail: "refused" });
  await settle();
  expect(agents.all()).toMatchObject([{ health: "silent" }]);
});

test("a check of all agents ends within a minute, even with slow agents", async () => {
  const { checks, agents, clock, sent } = checking();
  for (let count = 0; count < 100; count += 1) agents.learn(`http://a.example/${count}`, { outcome: answered });
  const all = checks.all();
  await clock.advance(5_000);
  for (const { answer } of sent) answer(answered);
  await clock.advance(55_000);
  expect(await Promise.race([all, settle().then(() => "not yet")])).toHaveLength(100);
});
