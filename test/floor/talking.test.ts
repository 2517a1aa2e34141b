import { fold } from "@plenary/floor";
import { createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answer, echo, eventsIn, silent, startAgent, textsIn, utterance } from "./agents.ts";
import { ann, patience, said, startWorld, textOf, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

test("an accepted envelope is answered by an empty one of the floor, with its place in the log", async () => {
  const answered = await world.say("c", "hello", { wait: 0 });
  expect(answered.status).toBe(200);
  expect(answered.body.openFloor).toMatchObject({ events: [], schema: { version: "1.1.0" } });
  expect(answered.body.refused).toBeUndefined();
  expect(answered.body.consequences).toBeUndefined();
  const [first, last] = (answered.headers.get("plenary-seq") ?? "").split("-").map(Number);
  expect(first).toBe(1);
  expect(last).toBe((await world.log("c")).length);
});

test("D26: the first envelope for an unknown conversation creates it, with its sender as owner", async () => {
  await world.say("c", "hello");
  const state = await world.state("c");
  expect(state).toMatchObject({ owner: ann, floorGranted: [ann] });
  expect((await world.log("c")).find(({ kind }) => kind === "received")).toMatchObject({ via: "operator" });
});

test("an envelope of an older dialect is answered in the same", async () => {
  const ovon = {
    schema: { version: "0.9.3" },
    conversation: { id: "old" },
    sender: { from: "https://ann.example/" },
    events: [],
  };
  const legacy = await world.call("POST", "/openfloor", { ovon });
  expect(legacy.status).toBe(200);
  expect(legacy.body).toMatchObject({ ovon: { schema: { version: "0.9.3" }, events: [] } });
  const openFloor = {
    schema: { version: "1.0.0" },
    conversation: { id: "mid" },
    sender: { speakerUri: ann },
    events: [],
  };
  expect((await world.call("POST", "/openfloor", { openFloor })).body).toMatchObject({
    openFloor: { schema: { version: "1.0.0" } },
  });
});

test("D19: a 0.9 whisper without an addressee goes to whoever has the conversation's attention", async () => {
  const agent = await startAgent(silent);
  const from = "https://ann.example/";
  const legacy = (events: object[]) =>
    world.call(
      "POST",
      "/openfloor",
      { ovon: { schema: { version: "0.9.3" }, conversation: { id: "old" }, sender: { from }, events } },
      { prefer: "wait=5" },
    );
  await legacy([{ eventType: "invite", to: agent.url }]);
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "psst" }] } };
  const answered = await legacy([
    {
      eventType: "whisper",
      parameters: { dialogEvent: { speakerId: "ann", span: { startTime: "2026-01-01T00:00:00Z" }, features } },
    },
  ]);
  expect(answered.status).toBe(200);
  expect(agent.heard.flatMap(textsIn)).toContain("psst");
  expect(JSON.stringify(await world.log("old"))).not.toContain("psst");
});

test("D27: consequences are one envelope per run of one speaker, in order", async () => {
  const two = await startAgent((heard, me) =>
    answer(
      heard,
      me,
      ...textsIn(heard).flatMap((text) => [
        utterance(me.speakerUri, `1 ${text}`),
        utterance(me.speakerUri, `2 ${text}`),
      ]),
    ),
  );
  await world.invite("c", two);
  const { body } = await world.say("c", "hello");
  expect(body.consequences).toHaveLength(1);
  expect(body.consequences?.[0]?.openFloor.events.map(textOf)).toEqual(["1 hello", "2 hello"]);
  expect(body.consequences?.[0]?.openFloor.sender).toMatchObject({ speakerUri: two.speakerUri, serviceUrl: two.url });
  expect(body.consequences?.[0]?.seq).toBe((await world.log("c")).findLast(({ kind }) => kind === "event")?.seq);
});

test("D4: whoever is being tried again keeps nobody waiting", async () => {
  await world.close();
  world = await startWorld({ deliveryLimits: { retryMs: 60_000, retryBaseMs: 30_000, retryCapMs: 30_000 } });
  let isDeaf = false;
  const agent = await startAgent((heard, me) => (isDeaf ? { status: 503, body: "" } : answer(heard, me)));
  await world.invite("c", agent);
  isDeaf = true;
  const startedMs = performance.now();
  expect(said(await world.say("c", "hello", { wait: 15 }))).toEqual([]);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test("D4: nobody waits longer than was asked for", async () => {
  const agent = await startAgent((heard, me) =>
    textsIn(heard).length > 0 ? { status: 202, body: "" } : answer(heard, me),
  );
  await world.invite("c", agent);
  const startedMs = performance.now();
  const answered = await world.say("c", "hello", { wait: 1 });
  expect(answered.headers.get("preference-applied")).toBe("wait=1");
  expect(performance.now() - startedMs).toBeGreaterThan(900);
});

test("an event that is not taken is named in the answer, and the others take effect", async () => {
  const agent = await startAgent(silent);
  await world.invite("c", agent);
  const events = [{ eventType: "uninvite", to: { speakerUri: ann } }, utterance(agent.speakerUri, "sorry")];
  const answered = await world.send("c", events, { as: agent.speakerUri });
  expect(answered.status).toBe(200);
  expect(answered.body.refused).toEqual([{ index: 0, because: "guard/protected-owner", problem: expect.any(String) }]);
  expect((await world.log("c")).map(({ event }) => textOf(event))).toContain("sorry");
});

test("D29: the same envelope twice has one effect; the same id with another text is something new", async () => {
  const agent = await startAgent(silent);
  await world.invite("c", agent);
  const twice = [utterance(ann, "once", {}, "u1")];
  await world.send("c", twice);
  const before = await world.log("c");
  const repeated = await world.send("c", twice);
  expect(repeated.status).toBe(200);
  expect(await world.log("c")).toEqual(before);
  await world.send("c", [utterance(ann, "twice", {}, "u1")]);
  await world.send("c", [utterance(ann, "twice", {}, "u1")]);
  expect(agent.heard.flatMap(textsIn)).toEqual(["once", "twice"]);
  const ids = (await world.log("c")).flatMap(({ kind, event }) =>
    kind === "event" && event?.eventType === "utterance" ? [idOf(event)] : [],
  );
  expect(new Set(ids).size).toBe(2);
});

test("D29: an utterance that was refused may be sent again when it is allowed", async () => {
  const agent = await startAgent(silent);
  await world.invite("c", agent);
  await world.send("c", [{ eventType: "revokeFloor", to: { speakerUri: agent.speakerUri } }]);
  const words = [utterance(agent.speakerUri, "may I?", {}, "a1")];
  expect((await world.send("c", words, { as: agent.speakerUri })).body.refused).toHaveLength(1);
  await world.send("c", [{ eventType: "grantFloor", to: { speakerUri: agent.speakerUri } }]);
  expect((await world.send("c", words, { as: agent.speakerUri })).body.refused).toBeUndefined();
  expect(
    (await world.log("c")).filter(({ kind, event }) => kind === "event" && textOf(event) === "may I?"),
  ).toHaveLength(1);
});

test("each agent hears everything in the order of the log, however slow it is", async () => {
  let atOnce = 0;
  const slow = await startAgent(async (heard, me) => {
    if (textsIn(heard).length === 0) return answer(heard, me);
    atOnce += 1;
    expect(atOnce).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    atOnce -= 1;
    return answer(heard, me);
  });
  const agents = [slow, await startAgent(silent)];
  for (const agent of agents) await world.invite("c", agent);
  const words = Array.from({ length: 30 }, (_, index) => `word ${index}`);
  const sending = words.map((text) => world.say("c", text));
  await Promise.all(sending);
  const logged = (await world.log("c")).flatMap(({ kind, event }) => (kind === "event" ? (textOf(event) ?? []) : []));
  expect([...logged].sort()).toEqual([...words].sort());
  for (const agent of agents) expect(agent.heard.flatMap(textsIn)).toEqual(logged);
});

test("the state at any entry is the fold of the log up to it", async () => {
  for (const agent of [await startAgent(echo), await startAgent(echo)]) await world.invite("c", agent);
  await world.say("c", "hello");
  await world.send("c", [
    {
      eventType: "revokeFloor",
      to: { speakerUri: (await world.log("c")).find(({ event }) => textOf(event)?.startsWith("echo"))?.sender },
    },
  ]);
  const entries = await world.store.entries("c", { after: 0, limit: 10_000 });
  for (let seq = 1; seq <= entries.length; seq += 1) {
    const folded = fold("c", entries.slice(0, seq));
    expect(await world.state("c", seq)).toMatchObject({
      seq,
      floorGranted: folded.floorGranted,
      assignedFloorRoles: folded.roles,
      conversants: folded.conversants.map(({ identification, state }) => ({ identification, state })),
    });
  }
});

test("D14: what a manifest says becomes known of the one who joined", async () => {
  const agent = await startAgent((heard, me) => {
    if (!eventsIn(heard).some(({ eventType }) => eventType === "getManifests")) return answer(heard, me);
    const identification = {
      speakerUri: me.speakerUri,
      serviceUrl: me.url,
      organization: "Org",
      conversationalName: "Polly",
      synopsis: "A parrot",
    };
    return answer(heard, me, {
      eventType: "publishManifests",
      parameters: { servicingManifests: [{ identification, capabilities: [] }] },
    });
  });
  await world.invite("c", agent);
  await world.until("c", (all) => all.some(({ because }) => because.startsWith("command/identify")));
  expect(JSON.stringify(await world.state("c"))).toContain("Polly");
  expect(JSON.stringify((await world.call("GET", "/api/v1/agents")).body)).toContain("Polly");
  const added = await world.call("POST", "/api/v1/agents", { serviceUrl: agent.url });
  expect(added).toMatchObject({ status: 201, body: { health: "answering" } });
});

test("D18: a revoked agent's answer is cut short and has no effect", async () => {
  await world.close();
  world = await startWorld({ deliveryLimits: { silenceMs: 30_000, answerMs: 30_000 } });
  const agent = await startAgent((heard, me) => (textsIn(heard).includes("think") ? undefined : answer(heard, me)));
  await world.invite("c", agent);
  const asked = world.say("c", "think");
  await expect.poll(() => agent.heard.flatMap(textsIn), patience).toContain("think");
  await world.send("c", [{ eventType: "revokeFloor", to: { speakerUri: agent.speakerUri }, reason: "@override" }]);
  expect(said(await asked)).toEqual([]);
  await expect
    .poll(() => agent.heard.flatMap(eventsIn).map(({ eventType }) => eventType), patience)
    .toContain("revokeFloor");
});

test("what was promised before a restart is delivered after it", async () => {
  const store = createMemoryStore();
  let isOpen = false;
  const agent = await startAgent((heard, me) => (isOpen || textsIn(heard).length === 0 ? echo(heard, me) : undefined));
  const first = await startWorld({ store, deliveryLimits: { silenceMs: 30_000, answerMs: 30_000 } });
  await first.invite("c", agent);
  await first.say("c", "hello", { wait: 0 });
  await expect.poll(() => agent.heard.flatMap(textsIn), patience).toEqual(["hello"]);
  await first.server.close();
  isOpen = true;
  const second = await startWorld({ store });
  await second.until("c", (all) => all.some(({ event }) => textOf(event) === "echo hello"));
  const ids = agent.heard
    .filter((heard) => textsIn(heard).includes("hello"))
    .map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  await second.server.close();
});

function idOf(event: { parameters?: Record<string, unknown> }): string {
  const { dialogEvent } = event.parameters as { dialogEvent: { id: string } };
  return dialogEvent.id;
}
