// Trust on first use, where an agent is known by several spellings of one address, or returns from another port.
import { createMemoryStore, relayUrlOf } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { closeAgents, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { atHost, clock, restart, startOnAPort } from "./restarts-on-another-port.ts";

let floor: TestFloor;

afterEach(async () => {
  await floor.close();
  await closeAgents();
  expect(floor.errors).toEqual([]);
});

/** Listens on loopback behind a proxy. */
const behindProxy = { proxies: 1 };

type Seat = { identification: { speakerUri: string; serviceUrl: string }; state: string };

async function seats(conversation: string): Promise<Seat[]> {
  const { conversants } = await floor.state(conversation);
  return conversants.filter(({ identification }) => identification.speakerUri !== ann);
}

const at = (serviceUrl: string) => [{ identification: { speakerUri: clock, serviceUrl }, state: "joined" }];

test.each(["localhost", "LOCALHOST", "[::1]"])(
  "an agent that joined from 127.0.0.1 is the same agent at %s, also on a public floor",
  async (host) => {
    floor = await startTestFloor(behindProxy);
    const agent = await startOnAPort();
    await floor.invite("first", agent);
    const { url } = atHost(agent, host);
    const { body } = await floor.send("second", [{ eventType: "invite", to: { speakerUri: clock, serviceUrl: url } }]);
    expect(body.refused).toBeUndefined();
    const { because } = (await floor.log("second")).find(({ kind }) => kind === "seated") ?? {};
    expect(because).not.toBe("guard/bound-elsewhere");
  },
);

test("an invite under another spelling of the address reaches the agent that has joined", async () => {
  floor = await startTestFloor(behindProxy);
  const agent = await startOnAPort();
  await floor.invite("c", agent);
  await floor.invite("c", atHost(agent, "localhost"));
  expect(await seats("c")).toMatchObject(at(agent.url));
  // The second invite creates no seat, not even until its answer.
  const seated = (await floor.log("c")).filter(({ kind, because }) => kind === "seated" && /\/invite\//u.test(because));
  expect(seated).toHaveLength(1);
});

test("on a loopback floor an agent that restarted on another port is re-bound when it answers there", async () => {
  floor = await startTestFloor();
  const before = await startOnAPort();
  await floor.invite("first", before);
  const after = await restart(before);
  await floor.invite("second", after);
  expect(await seats("second")).toMatchObject(at(after.url));
  expect(await floor.log("second")).toContainEqual(
    expect.objectContaining({
      kind: "rebound",
      because: "guard/moved-on-loopback",
      speakerUri: clock,
      serviceUrl: after.url,
    }),
  );
});

test.each([
  ["by its address", (url: string) => ({ serviceUrl: url })],
  ["by name and address", (url: string) => ({ speakerUri: clock, serviceUrl: url })],
])("an agent that moved keeps its seat when it is invited %s", async (_how, to) => {
  floor = await startTestFloor();
  const before = await startOnAPort();
  await floor.invite("c", before);
  const after = await restart(before);
  await floor.send("c", [{ eventType: "invite", to: to(after.url) }]);
  expect(await seats("c")).toMatchObject(at(after.url));
  expect(said(await floor.say("c", "where are you?"))).toEqual([[clock, `from ${after.url}`]]);
});

test("the old address gets no further delivery in that conversation", async () => {
  floor = await startTestFloor();
  const [before, after] = [await startOnAPort(), await startOnAPort()];
  await floor.invite("c", before);
  await floor.invite("c", after);
  const count = before.heard.length;
  await floor.send("c", [utterance(ann, "psst", { to: { speakerUri: clock, private: true } })]);
  expect(after.heard.flatMap(textsIn)).toContain("psst");
  expect(before.heard.length).toBe(count);
});

test("the binding has moved for every conversation, and is kept after a restart of the floor", async () => {
  const store = createMemoryStore();
  const once = await startTestFloor({ store: { ...store, close: async () => {} } });
  const before = await startOnAPort();
  await once.invite("first", before);
  const after = await restart(before);
  await once.invite("second", after);
  await once.server.close();
  floor = await startTestFloor({ store, ...behindProxy });
  const { body } = await floor.send("third", [
    { eventType: "invite", to: { speakerUri: clock, serviceUrl: before.url } },
  ]);
  expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
  await floor.invite("fourth", after);
  expect(await seats("fourth")).toMatchObject(at(after.url));
});

test("an agent that declines from another port does not move", async () => {
  floor = await startTestFloor();
  const before = await startOnAPort();
  await floor.invite("first", before);
  const shy = await startAgent((heard, me) => {
    const sender = { speakerUri: me.speakerUri, serviceUrl: me.url };
    const { conversation } = heard.body.openFloor as { conversation: { id: string } };
    const events = [{ eventType: "declineInvite" }];
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender, events };
    return { body: JSON.stringify({ openFloor }) };
  }, clock);
  await floor.invite("first", shy);
  expect(await seats("first")).toMatchObject(at(before.url));
  expect((await floor.log("first")).filter(({ kind }) => kind === "rebound")).toEqual([]);
});

test("a speaker that answers at another port under another name does not move the invited speaker", async () => {
  floor = await startTestFloor();
  await floor.invite("first", await startOnAPort());
  const other = await startOnAPort("tag:other.example,2026:1");
  await floor.send("second", [{ eventType: "invite", to: { speakerUri: clock, serviceUrl: other.url } }]);
  expect(await seats("second")).toEqual([]);
});

test("an agent at another path of this machine, or elsewhere, is a different agent", async () => {
  floor = await startTestFloor();
  const agent = await startOnAPort();
  await floor.invite("first", agent);
  for (const serviceUrl of [`${agent.url}other`, "https://clock.example/", agent.url.replace("http:", "https:")]) {
    const { body } = await floor.send("second", [{ eventType: "invite", to: { speakerUri: clock, serviceUrl } }]);
    expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
  }
});

test("a person does not move: no server on this machine can take a person's name", async () => {
  floor = await startTestFloor();
  await floor.say("first", "hello");
  const path = new URL(relayUrlOf(`${floor.url}/openfloor`, ann)).pathname;
  const double = await startOnAPort(ann);
  const serviceUrl = `${new URL(double.url).origin}${path}`;
  await floor.send("second", [{ eventType: "invite", to: { serviceUrl } }], { as: "tag:people.example,2026:ben" });
  expect(JSON.stringify(await floor.log("second"))).toContain("guard/bound-elsewhere");
});

test("a hosted agent does not move either", async () => {
  const hosted = {
    names: ["clock"],
    create: () => ({
      manifest: { identification: { speakerUri: clock } },
      fetch: async (request: Request) => {
        const { openFloor } = (await request.json()) as { openFloor: { conversation: { id: string } } };
        const { id } = openFloor.conversation;
        const sender = { speakerUri: clock };
        return Response.json({ openFloor: { schema: { version: "1.1.0" }, conversation: { id }, sender, events: [] } });
      },
    }),
  };
  floor = await startTestFloor({ hostedAgents: hosted });
  await floor.invite("first", { url: `${floor.url}/agents/clock` });
  const double = await startOnAPort();
  await floor.invite("first", { url: `${double.url}agents/clock` });
  expect(await seats("first")).toMatchObject(at(`${floor.url}/agents/clock`));
});

test("an agent at another port of another machine is a different agent", async () => {
  floor = await startTestFloor(behindProxy);
  const before = await startOnAPort();
  await floor.invite("first", before);
  await floor.invite("second", await restart(before));
  expect(await seats("second")).toEqual([]);
});
