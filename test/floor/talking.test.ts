import { fold } from "@plenary/floor";
import { createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, textOf, utterance } from "../support/envelopes.ts";
import { answer, echo, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience, waitFor } from "../support/wait-for.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("an accepted envelope is answered by an empty envelope of the floor, with its place in the log", async () => {
  const answered = await floor.say("c", "hello", { wait: 0 });
  expect(answered.status).toBe(200);
  expect(answered.body.openFloor).toMatchObject({ events: [], schema: { version: "1.1.0" } });
  expect(answered.body.refused).toBeUndefined();
  expect(answered.body.consequences).toBeUndefined();
  const [first, last] = (answered.headers.get("plenary-seq") ?? "").split("-").map(Number);
  expect(first).toBe(1);
  expect(last).toBe((await floor.log("c")).length);
});

test("D26: the first envelope for an unknown conversation creates it, with its sender as owner", async () => {
  await floor.say("c", "hello");
  const state = await floor.state("c");
  expect(state).toMatchObject({ owner: ann, floorGranted: [ann] });
  expect((await floor.log("c")).find(({ kind }) => kind === "received")).toMatchObject({ via: "operator" });
});

test("an envelope of an older dialect is answered in the same dialect", async () => {
  const ovon = {
    schema: { version: "0.9.3" },
    conversation: { id: "old" },
    sender: { from: "https://ann.example/" },
    events: [],
  };
  const legacy = await floor.call("POST", "/openfloor", { ovon });
  expect(legacy.status).toBe(200);
  expect(legacy.body).toMatchObject({ ovon: { schema: { version: "0.9.3" }, events: [] } });
  const openFloor = {
    schema: { version: "1.0.0" },
    conversation: { id: "mid" },
    sender: { speakerUri: ann },
    events: [],
  };
  expect((await floor.call("POST", "/openfloor", { openFloor })).body).toMatchObject({
    openFloor: { schema: { version: "1.0.0" } },
  });
});

test("D19: a 0.9 whisper without an addressee goes to the focal agent", async () => {
  const agent = await startAgent(silent);
  const from = "https://ann.example/";
  const legacy = (events: object[]) =>
    floor.call(
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
  expect(JSON.stringify(await floor.log("old"))).not.toContain("psst");
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
  await floor.invite("c", two);
  const { body } = await floor.say("c", "hello");
  expect(body.consequences).toHaveLength(1);
  expect(body.consequences?.[0]?.openFloor.events.map(textOf)).toEqual(["1 hello", "2 hello"]);
  expect(body.consequences?.[0]?.openFloor.sender).toMatchObject({ speakerUri: two.speakerUri, serviceUrl: two.url });
  expect(body.consequences?.[0]?.seq).toBe((await floor.log("c")).findLast(({ kind }) => kind === "event")?.seq);
});

test("D4: a request does not wait for a delivery that is retried later", async () => {
  await floor.close();
  floor = await startTestFloor({ deliveryLimits: { retryMs: 600_000, retryBaseMs: 300_000, retryCapMs: 300_000 } });
  let isDeaf = false;
  const agent = await startAgent((heard, me) => (isDeaf ? { status: 503, body: "" } : answer(heard, me)));
  await floor.invite("c", agent);
  isDeaf = true;
  // The next attempt is minutes away: a request that waited for it would not end within the time of a test.
  expect(said(await floor.say("c", "hello", { wait: 120 }))).toEqual([]);
  expect(agent.heard.flatMap(textsIn)).toEqual(["hello"]);
});

test("D4: a request waits no longer than its Prefer header asks", async () => {
  const agent = await startAgent((heard, me) =>
    textsIn(heard).length > 0 ? { status: 202, body: "" } : answer(heard, me),
  );
  await floor.invite("c", agent);
  const answered = await floor.say("c", "hello", { wait: 1 });
  expect(answered.headers.get("preference-applied")).toBe("wait=1");
  expect(said(answered)).toEqual([]);
});

test("a refused event is named in the answer, and the other events take effect", async () => {
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const events = [{ eventType: "uninvite", to: { speakerUri: ann } }, utterance(agent.speakerUri, "sorry")];
  const answered = await floor.send("c", events, { as: agent.speakerUri });
  expect(answered.status).toBe(200);
  expect(answered.body.refused).toEqual([{ index: 0, because: "guard/protected-owner", problem: expect.any(String) }]);
  expect((await floor.log("c")).map(({ event }) => textOf(event))).toContain("sorry");
});

test("D29: the same envelope twice has one effect; the same id with another text is a new utterance", async () => {
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const twice = [utterance(ann, "once", { id: "u1" })];
  await floor.send("c", twice);
  const before = await floor.log("c");
  const repeated = await floor.send("c", twice);
  expect(repeated.status).toBe(200);
  expect(await floor.log("c")).toEqual(before);
  await floor.send("c", [utterance(ann, "twice", { id: "u1" })]);
  await floor.send("c", [utterance(ann, "twice", { id: "u1" })]);
  expect(agent.heard.flatMap(textsIn)).toEqual(["once", "twice"]);
  const ids = (await floor.log("c")).flatMap(({ kind, event }) =>
    kind === "event" && event?.eventType === "utterance" ? [idOf(event)] : [],
  );
  expect(new Set(ids).size).toBe(2);
});

test("D29: a refused utterance may be sent again when it is allowed", async () => {
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  await floor.send("c", [{ eventType: "revokeFloor", to: { speakerUri: agent.speakerUri } }]);
  const words = [utterance(agent.speakerUri, "may I?", { id: "a1" })];
  expect((await floor.send("c", words, { as: agent.speakerUri })).body.refused).toHaveLength(1);
  await floor.send("c", [{ eventType: "grantFloor", to: { speakerUri: agent.speakerUri } }]);
  expect((await floor.send("c", words, { as: agent.speakerUri })).body.refused).toBeUndefined();
  expect(
    (await floor.log("c")).filter(({ kind, event }) => kind === "event" && textOf(event) === "may I?"),
  ).toHaveLength(1);
});

test("each agent gets everything in the order of the log, however slow it is", async () => {
  let atOnce = 0;
  const quick = await startAgent(silent);
  const slow = await startAgent(async (heard, me) => {
    if (textsIn(heard).length === 0) return answer(heard, me);
    atOnce += 1;
    expect(atOnce).toBe(1);
    // It answers when the other agent has received the same.
    await waitFor(() => textsIn(heard).every((text) => quick.heard.flatMap(textsIn).includes(text)), "the other agent");
    atOnce -= 1;
    return answer(heard, me);
  });
  const agents = [slow, quick];
  for (const agent of agents) await floor.invite("c", agent);
  const words = Array.from({ length: 30 }, (_, index) => `word ${index}`);
  const sending = words.map((text) => floor.say("c", text));
  await Promise.all(sending);
  const logged = (await floor.log("c")).flatMap(({ kind, event }) => (kind === "event" ? (textOf(event) ?? []) : []));
  expect([...logged].sort()).toEqual([...words].sort());
  for (const agent of agents) expect(agent.heard.flatMap(textsIn)).toEqual(logged);
});

test("the state at any entry is the fold of the log up to it", async () => {
  for (const agent of [await startAgent(echo), await startAgent(echo)]) await floor.invite("c", agent);
  await floor.say("c", "hello");
  await floor.send("c", [
    {
      eventType: "revokeFloor",
      to: { speakerUri: (await floor.log("c")).find(({ event }) => textOf(event)?.startsWith("echo"))?.sender },
    },
  ]);
  const entries = await floor.store.log.entries("c", { after: 0, limit: 10_000 });
  for (let seq = 1; seq <= entries.length; seq += 1) {
    const folded = fold("c", entries.slice(0, seq));
    expect(await floor.state("c", seq)).toMatchObject({
      seq,
      floorGranted: folded.floorGranted,
      assignedFloorRoles: folded.roles,
      conversants: folded.conversants.map(({ identification, state }) => ({ identification, state })),
    });
  }
});

test("D14: the fields of a manifest become known when its agent joins", async () => {
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
  await floor.invite("c", agent);
  await floor.until("c", (all) => all.some(({ because }) => because.startsWith("command/identify")));
  expect(JSON.stringify(await floor.state("c"))).toContain("Polly");
  expect(JSON.stringify((await floor.call("GET", "/api/v1/agents")).body)).toContain("Polly");
  const added = await floor.call("POST", "/api/v1/agents", { serviceUrl: agent.url });
  expect(added).toMatchObject({ status: 201, body: { health: "answering" } });
});

test("D18: a revoked agent's answer is aborted and has no effect", async () => {
  await floor.close();
  floor = await startTestFloor({ deliveryLimits: { silenceMs: 30_000, answerMs: 30_000 } });
  const agent = await startAgent((heard, me) => (textsIn(heard).includes("think") ? undefined : answer(heard, me)));
  await floor.invite("c", agent);
  const asked = floor.say("c", "think");
  await expect.poll(() => agent.heard.flatMap(textsIn), patience).toContain("think");
  await floor.send("c", [{ eventType: "revokeFloor", to: { speakerUri: agent.speakerUri }, reason: "@override" }]);
  expect(said(await asked)).toEqual([]);
  await expect
    .poll(() => agent.heard.flatMap(eventsIn).map(({ eventType }) => eventType), patience)
    .toContain("revokeFloor");
});

test("a delivery that was decided before a restart is sent after it", async () => {
  const store = createMemoryStore();
  let isOpen = false;
  const agent = await startAgent((heard, me) => (isOpen || textsIn(heard).length === 0 ? echo(heard, me) : undefined));
  const first = await startTestFloor({ store, deliveryLimits: { silenceMs: 30_000, answerMs: 30_000 } });
  await first.invite("c", agent);
  await first.say("c", "hello", { wait: 0 });
  await expect.poll(() => agent.heard.flatMap(textsIn), patience).toEqual(["hello"]);
  await first.server.close();
  isOpen = true;
  const second = await startTestFloor({ store });
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
