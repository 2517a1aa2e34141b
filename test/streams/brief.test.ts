// The log as a stream: `view=brief` shows the same entries as the log shows to the same reader.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ann, bob, bot, cid, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { type Client, envelopesIn, openEvents, openSocket, refusalOf } from "../support/test-client.ts";

const everybody = [ann, bob, cid, bot];
const bearer = { authorization: `Bearer ${token}` };
const whole = "/api/v1/conversations/c1";

type Act =
  | { kind: "say" | "whisper" | "bye" | "requestFloor" | "invite" | "twice"; by: string; to: string }
  | { kind: "seat" | "remove" | "convener"; to: string }
  | { kind: "reveal"; to: string; from: number };

const speaker = fc.constantFrom(...everybody);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("say", "whisper", "whisper", "bye", "requestFloor", "invite", "twice"),
    by: speaker,
    to: speaker,
  }),
  fc.record({ kind: fc.constantFrom("seat", "seat", "remove", "convener"), to: speaker }),
  fc.record({ kind: fc.constant("reveal" as const), to: speaker, from: fc.integer({ min: 1, max: 12 }) }),
);

/** Refusals are part of a history, too. */
async function perform(floor: TestFloor, one: Act): Promise<void> {
  const { to } = one;
  const command = (name: string, body: Json) => floor.post(`${whole}/${name}`, body);
  const send = (by: string, ...events: Json[]) => floor.post("/openfloor", envelopeOf("c1", by, events));
  const whisper = { speakerUri: to, private: true };
  switch (one.kind) {
    case "say":
      return void (await send(one.by, utterance(one.by, "for all")));
    case "whisper":
      return void (await send(one.by, utterance(one.by, `a whisper to ${to}`, { to: whisper })));
    case "twice":
      return void (await send(
        one.by,
        utterance(one.by, "and for all"),
        utterance(one.by, `and a whisper to ${to}`, { to: whisper }),
      ));
    case "bye":
    case "requestFloor":
      return void (await send(one.by, { eventType: one.kind }));
    case "invite": {
      const { dialogEvent } = utterance(one.by, "earlier").parameters as Json;
      const invitee = { serviceUrl: `https://agent.example/${to.length}` };
      const parameters = { dialogHistory: [dialogEvent] };
      return void (await send(one.by, { eventType: "invite", to: invitee, parameters }));
    }
    case "seat":
      return void (await command("seat", {
        identification: { speakerUri: to },
        kind: to === bot ? "agent" : "person",
      }));
    case "remove":
      return void (await command("remove", { speakerUri: to }));
    case "convener":
      return void (await command("convener", { serviceUrl: floor.relayUrl(to) }));
    case "reveal":
      return void (await command("reveal", { speakerUri: to, from: one.from }));
  }
}

type View = { seq: number; kind: string } & Json;

/** Reads the log page by page; undefined when the conversation does not exist for the reader. */
async function logOf(floor: TestFloor, reader: string, after = 0, limit = 7): Promise<View[] | undefined> {
  const query = `view=brief&limit=${limit}&speaker=${encodeURIComponent(reader)}`;
  const { status, body } = await floor.get(`${whole}/log?after=${after}&${query}`);
  if (status !== 200) return undefined;
  const entries = body.entries as View[];
  if (entries.length === 0) return [];
  return [...entries, ...((await logOf(floor, reader, Number(body.next), limit)) ?? [])];
}

const framesOf = (entries: readonly View[]) => entries.map((entry) => ({ entry, seq: entry.seq }));

const upTo = (client: Client, last: number) =>
  client.frames.until((frames) => (frames.at(-1)?.seq as number) >= last, `entry ${last}`);

const isKnown = async (floor: TestFloor, reader: string) =>
  JSON.stringify((await floor.get(`/api/v1/conversations?speaker=${encodeURIComponent(reader)}`)).body).includes("c1");

test("for any history the brief stream equals the brief log, for each conversant, over sockets and event streams", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (history) => {
      const floor = await startTestFloor({ retries: "default" });
      await floor.openConversation("c1", [ann, bob]);
      for (const one of history) await perform(floor, one);
      for (const reader of everybody) {
        if (!(await isKnown(floor, reader))) continue;
        const entries = await logOf(floor, reader);
        const last = entries?.at(-1)?.seq ?? 0;
        const query = { speaker: reader, conversation: "c1", view: "brief" };
        const client = await openSocket(floor, query);
        const stream = await openEvents(floor, query);
        await upTo(client, last);
        await stream.events.until((events) => envelopesIn(events).length >= last, `event ${last}`);
        const shown = envelopesIn(stream.events.items).slice(0, last);
        expect(entries?.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
        expect(client.frames.items.slice(0, last)).toEqual(framesOf(entries ?? []));
        expect(shown.map(({ id }) => Number(id))).toEqual(entries?.map(({ seq }) => seq));
        expect(shown.map(({ data }) => JSON.parse(data ?? "") as Json)).toEqual(framesOf(entries ?? []));
        await client.close();
        await stream.close();
      }
      await floor.close();
      expect(floor.errors).toEqual([]);
    }),
    { numRuns: 25, seed: 1 },
  );
}, 120_000);

test("a live viewer gets each entry as the log shows it at that time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (history) => {
      const floor = await startTestFloor({ retries: "default" });
      await floor.openConversation("c1", [ann, bob, cid]);
      const clients = new Map<string, Client>();
      const seen = new Map<string, number>();
      const open = async (reader: string) => {
        clients.set(reader, await openSocket(floor, { speaker: reader, conversation: "c1", view: "brief" }));
        seen.set(reader, 0);
      };
      for (const reader of everybody) await open(reader);
      const compare = async () => {
        const seated = JSON.stringify((await floor.get(whole)).body.conversants);
        for (const [reader, client] of clients) {
          const before = seen.get(reader) ?? 0;
          if (!seated.includes(`"speakerUri":"${reader}"`)) {
            // The stream of a conversant that left ends; the test opens it again in case the conversant returns.
            if (before === 0) continue;
            expect((await client.closed).code).toBe(4010);
            await open(reader);
            continue;
          }
          if (client.ws.readyState !== client.ws.OPEN) await open(reader);
          const now = clients.get(reader) ?? client;
          const from = seen.get(reader) ?? 0;
          const entries = (await logOf(floor, reader, from)) ?? [];
          const last = entries.at(-1)?.seq;
          if (last === undefined) continue;
          await upTo(now, last);
          expect(now.frames.items.slice(from, last)).toEqual(framesOf(entries));
          seen.set(reader, last);
        }
      };
      await compare();
      for (const one of history) {
        await perform(floor, one);
        await compare();
      }
      for (const client of clients.values()) await client.close();
      await floor.close();
      expect(floor.errors).toEqual([]);
    }),
    { numRuns: 25, seed: 2 },
  );
}, 120_000);

test("an envelope is shown once: as received without its events, then each event", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob]);
  await floor.speak("c1", ann, "sent once");
  const client = await openSocket(floor, { speaker: ann, conversation: "c1", view: "brief" });
  const frame = await client.find((one) => wordsIn(one).includes("sent once"), "the words");
  const [received] = client.frames.items.filter(({ entry }) => (entry as View).kind === "received");
  expect(received).toEqual({
    entry: expect.not.objectContaining({ events: expect.anything() }),
    seq: Number(frame.seq) - 1,
  });
  expect(client.frames.items.flatMap(wordsIn)).toEqual(["sent once"]);
  const { body } = await floor.get(`${whole}/log?speaker=${encodeURIComponent(ann)}`);
  expect(wordsIn(body)).toEqual(["sent once", "sent once"]);
  await client.close();
  await floor.close();
});

test("the brief stream resumes after the given cursor, and readers with the same view get the same bytes", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob, cid]);
  for (const words of ["one", "two", "three"]) await floor.speak("c1", ann, words);
  const query = { conversation: "c1", view: "brief" };
  const open = (speaker: string, after = "0") => openSocket(floor, { ...query, speaker, after });
  const clients = await Promise.all([open(bob), open(cid), open(cid, "6")]);
  for (const client of clients) await client.find((frame) => wordsIn(frame).includes("three"), "three");
  const [first, second, resumed] = clients.map(({ raw }) => raw);
  expect(second?.slice(4)).toEqual(first?.slice(4));
  expect(resumed).toEqual(second?.slice(6));
  for (const client of clients) await client.close();
  await floor.close();
});

test("the owner sees that whispers happen, without their text; others see nothing", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob, cid, "tag:people.example,2026:dan"]);
  const query = { conversation: "c1", view: "brief" };
  const [owner, other] = await Promise.all([ann, cid].map((speaker) => openSocket(floor, { ...query, speaker })));
  await floor.speak("c1", bob, "canary-23", { speakerUri: "tag:people.example,2026:dan", private: true });
  await floor.speak("c1", bob, "the end");
  for (const client of [owner, other]) {
    await client?.find((frame) => wordsIn(frame).includes("the end"), "the end");
    expect(client?.raw.join()).not.toContain("canary-23");
  }
  const whisper = { from: bob, to: "tag:people.example,2026:dan", at: expect.any(String) };
  expect(owner?.frames.items).toContainEqual({
    entry: { kind: "hidden", seq: expect.any(Number), whisper },
    seq: expect.any(Number),
  });
  expect(other?.raw.join()).not.toContain("whisper");
  for (const client of [owner, other]) await client?.close();
  await floor.close();
});

test("a speaker without a seat gets nothing, and once it is seated, earlier entries are shown as hidden", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann]);
  const client = await openSocket(floor, { speaker: bob, conversation: "c1", view: "brief" });
  const other = await openSocket(floor, { speaker: ann, conversation: "c1", view: "brief" });
  await floor.speak("c1", ann, "before");
  await other.find((frame) => wordsIn(frame).includes("before"), "before");
  expect(client.frames.items).toEqual([]);
  await floor.seat("c1", bob, "person");
  await floor.speak("c1", ann, "after");
  await client.find((frame) => wordsIn(frame).includes("after"), "after");
  expect(client.frames.items.flatMap(wordsIn)).toEqual(["after"]);
  expect(client.frames.items[0]).toEqual({ entry: { seq: 1, kind: "hidden" }, seq: 1 });
  expect(client.frames.items.map(({ seq }) => seq)).toEqual(client.frames.items.map((_, index) => index + 1));
  await other.close();
  await client.close();
  await floor.close();
});

test("the brief view is for one conversation and for viewers, and no other view exists", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann]);
  const refused = async (query: { speaker: string; conversation?: string; view: string; as?: string }) => {
    const socket = await refusalOf(floor, query, bearer);
    const events = query.as === undefined ? await fetch(floor.eventsUrl(query), { headers: bearer }) : undefined;
    await events?.body?.cancel();
    return [socket.status, events?.status];
  };
  expect(await refused({ speaker: ann, view: "brief" })).toEqual([400, 400]);
  expect(await refused({ speaker: ann, conversation: "c1", view: "whole" })).toEqual([400, 400]);
  expect(await refused({ speaker: ann, conversation: "c1", view: "brief", as: "agent" })).toEqual([400, undefined]);
  expect((await floor.get(`${whole}/log?view=whole`)).status).toBe(400);
  await floor.close();
});
