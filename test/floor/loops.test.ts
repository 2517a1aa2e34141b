// D17: agents that answer each other without end are paused; people are not.
import { afterEach, beforeEach, expect, test } from "vitest";
import { said, textOf, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, echo, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let testFloor: TestFloor;
beforeEach(async () => {
  testFloor = await startTestFloor();
});
afterEach(async () => {
  await testFloor.close();
  expect(testFloor.errors).toEqual([]);
});

async function expectStopped(conversation: string) {
  const entries = await testFloor.log(conversation);
  const depths = entries.filter(({ kind }) => kind === "event").map(({ depth }) => Number(depth));
  expect(Math.max(...depths)).toBeLessThanOrEqual(16);
  expect(entries.filter(({ kind }) => kind === "paused")).toHaveLength(1);
}

test("two echo agents are paused within 16 hops, and continue after a person's next utterance", async () => {
  for (const agent of [await startAgent(echo), await startAgent(echo)]) await testFloor.invite("c", agent);
  const first = await testFloor.say("c", "hello");
  await expectStopped("c");
  expect((await testFloor.state("c")).isPaused).toBe(true);
  expect(said(first).length).toBeGreaterThan(2);
  const second = said(await testFloor.say("c", "goodbye"));
  expect(second.map(([, text]) => text)).toContain("echo goodbye");
});

test("a ring of ten agents is paused within 16 hops, and continues after a person's next utterance", async () => {
  const ring = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"].map(
    (name) => `tag:ring.example,2026:${name}`,
  );
  const passOn: Behaviour = (heard, me) => {
    const next = ring[(ring.indexOf(me.speakerUri) + 1) % ring.length] ?? "";
    const mine = eventsIn(heard).filter(
      ({ eventType, to }) => eventType === "utterance" && to?.speakerUri === me.speakerUri,
    );
    return answer(
      heard,
      me,
      ...mine.map((_, index) =>
        utterance(me.speakerUri, `on ${heard.text.length} ${index}`, { to: { speakerUri: next } }),
      ),
    );
  };
  for (const speakerUri of ring) await testFloor.invite("c", await startAgent(passOn, speakerUri));
  const start = () =>
    testFloor.send("c", [utterance("tag:people.example,2026:ann", "start", { to: { speakerUri: ring[0] } })]);
  const first = await start();
  await expectStopped("c");
  expect(said(first).length).toBeGreaterThanOrEqual(10);
  expect(said(await start()).length).toBeGreaterThanOrEqual(10);
});

test("an agent that repeats itself is paused after three repetitions", async () => {
  const parrot: Behaviour = (heard, me) =>
    answer(heard, me, ...textsIn(heard).map(() => utterance(me.speakerUri, "polly")));
  for (const agent of [await startAgent(parrot), await startAgent(parrot)]) await testFloor.invite("c", agent);
  const words = said(await testFloor.say("c", "hello"));
  expect(words.length).toBeLessThanOrEqual(6);
  const entries = await testFloor.log("c");
  expect(entries.find(({ kind }) => kind === "paused")?.because).toBe("loop/same-text");
});

test("the operator may let paused agents continue", async () => {
  for (const agent of [await startAgent(echo), await startAgent(echo)]) await testFloor.invite("c", agent);
  await testFloor.say("c", "hello");
  const { body } = await testFloor.call("POST", "/api/v1/conversations/c/resume");
  expect(body.isPaused).toBe(false);
});

test("hops on other floors count", async () => {
  await testFloor.invite("c", await startAgent(echo));
  const answered = await testFloor.send("c", [utterance("tag:people.example,2026:ann", "from afar")], {
    headers: { baggage: "plenary.depth=16,plenary.floors=tag%3Aother" },
  });
  expect(said(answered)).toEqual([]);
  expect((await testFloor.log("c")).map(({ event }) => textOf(event))).toContain("from afar");
});

test("the baggage of each delivery lists the floors of its turn, and not those of the turn before", async () => {
  const heardOf: string[] = [];
  await testFloor.invite(
    "c",
    await startAgent(async (heard, me) => {
      heardOf.push(decodeURIComponent(String(heard.headers.baggage)).replace(/^.*floors=/u, ""));
      return answer(heard, me);
    }),
  );
  await testFloor.send("c", [utterance("tag:people.example,2026:ann", "from afar")], {
    headers: { baggage: "plenary.depth=1,plenary.floors=tag%3Aone%20tag%3Atwo" },
  });
  await testFloor.say("c", "from here");
  const { floor } = (await testFloor.call("GET", "/api/v1/me")).body as { floor: { speakerUri: string } };
  const here = floor.speakerUri;
  expect(heardOf.slice(-2)).toEqual([`tag:one tag:two ${here}`, here]);
});

test("a chain over two floors is paused within 16 hops, and continues after a person's next utterance", async () => {
  const there = await startTestFloor();
  /** Has a seat at both floors and relays each utterance to the other floor, with the headers it got. */
  const carrier =
    (other: () => TestFloor): Behaviour =>
    async (heard, me) => {
      const headers = { baggage: String(heard.headers.baggage), traceparent: String(heard.headers.traceparent) };
      const events = textsIn(heard).map((text) => utterance(me.speakerUri, text));
      if (events.length > 0) await other().send("c", events, { as: me.speakerUri, wait: 0, headers });
      return answer(heard, me);
    };
  const name = "tag:carriers.example,2026:carrier";
  await testFloor.invite(
    "c",
    await startAgent(
      carrier(() => there),
      name,
    ),
  );
  await there.invite(
    "c",
    await startAgent(
      carrier(() => testFloor),
      name,
    ),
  );
  for (const floor of [testFloor, there]) await floor.invite("c", await startAgent(echo));
  await testFloor.say("c", "hello");
  await Promise.any(
    [testFloor, there].map((floor) => floor.until("c", (all) => all.some(({ kind }) => kind === "paused"))),
  );
  for (const floor of [testFloor, there]) {
    const depths = (await floor.log("c")).flatMap(({ kind, depth }) => (kind === "event" ? [Number(depth)] : []));
    expect(Math.max(...depths)).toBeLessThanOrEqual(16);
  }
  expect(said(await testFloor.say("c", "goodbye")).map(([, text]) => text)).toContain("echo goodbye");
  await there.server.close();
});

test("two floors that invite each other decline with an error", async () => {
  const there = await startTestFloor();
  const invited = await testFloor.invite("c", { url: `${there.url}/openfloor` });
  expect(JSON.stringify(invited.body.consequences)).toContain("@error");
  const back = await there.invite("c", { url: `${testFloor.url}/openfloor` });
  expect(JSON.stringify(back.body.consequences)).toContain("@error");
  await there.server.close();
});
