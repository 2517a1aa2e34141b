import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ann, bob, cid, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { type Client, envelopesIn, openEvents, openSocket, type StreamEvent } from "../support/test-client.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const heard = (client: Client, words: string) =>
  client.find((frame) => wordsIn(frame).includes(words), JSON.stringify(words));

describe("a viewer's socket", () => {
  test("shows earlier and later utterances, its own ones included, in order", async () => {
    await floor.openConversation("c1", [ann, bob]);
    await floor.speak("c1", ann, "one");
    const client = await openSocket(floor, { speaker: ann, conversation: "c1" });
    await floor.speak("c1", bob, "two");
    await floor.speak("c1", ann, "three");
    await heard(client, "three");
    expect(client.frames.items.flatMap(wordsIn)).toEqual(["one", "two", "three"]);
    const seqs = client.frames.items.map(({ seq }) => Number(seq));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(client.frames.items[0]).toMatchObject({
      openFloor: { conversation: { id: "c1" }, sender: { speakerUri: ann } },
    });
    await client.close();
  });

  test("resumes after the given cursor", async () => {
    await floor.openConversation("c1", [ann]);
    await floor.speak("c1", ann, "one");
    await floor.speak("c1", ann, "two");
    const first = await openSocket(floor, { speaker: ann, conversation: "c1" });
    const { seq } = await heard(first, "one");
    await first.close();
    const second = await openSocket(floor, { speaker: ann, conversation: "c1", after: String(seq) });
    await heard(second, "two");
    expect(second.frames.items.flatMap(wordsIn)).toEqual(["two"]);
    await second.close();
  });

  test("without a conversation follows all conversations of its speaker, also later ones, and resumes by id", async () => {
    await floor.openConversation("c1", [ann]);
    await floor.speak("c1", ann, "in one");
    const client = await openSocket(floor, { speaker: ann });
    await heard(client, "in one");
    await floor.openConversation("c2", [bob, ann]);
    await floor.speak("c2", bob, "in two");
    const { id } = await heard(client, "in two");
    await client.close();
    await floor.speak("c1", ann, "one again");
    await floor.speak("c2", bob, "two again");
    const second = await openSocket(floor, { speaker: ann, after: String(id) });
    await heard(second, "one again");
    await heard(second, "two again");
    expect(second.frames.items.flatMap(wordsIn).sort()).toEqual(["one again", "two again"]);
    await second.close();
  });

  test("shows a whisper to its two parties only", async () => {
    await floor.openConversation("c1", [ann, bob, cid]);
    const clients = await Promise.all(
      [ann, bob, cid].map((speaker) => openSocket(floor, { speaker, conversation: "c1" })),
    );
    const wide = await openSocket(floor, { speaker: cid });
    const events = await openEvents(floor, { speaker: cid, conversation: "c1" });
    await floor.speak("c1", ann, "canary-17", { speakerUri: bob, private: true });
    await floor.speak("c1", ann, "the end");
    for (const client of [...clients, wide]) await heard(client, "the end");
    await events.events.until((all) => all.some(({ data }) => data?.includes("the end") === true), "the end");
    expect(clients.map(({ raw }) => raw.join().includes("canary-17"))).toEqual([true, true, false]);
    expect(wide.raw.join()).not.toContain("canary-17");
    expect(JSON.stringify(events.events.items)).not.toContain("canary-17");
    for (const client of [...clients, wide, events]) await client.close();
  });

  test("shows a late joiner the utterances since it joined", async () => {
    await floor.openConversation("c1", [ann]);
    await floor.speak("c1", ann, "before");
    await floor.seat("c1", bob, "person");
    await floor.speak("c1", ann, "after");
    const client = await openSocket(floor, { speaker: bob, conversation: "c1" });
    await heard(client, "after");
    expect(client.frames.items.flatMap(wordsIn)).toEqual(["after"]);
    await client.close();
  });

  test("shows the same bytes to all viewers with the same view, live or later", async () => {
    await floor.openConversation("c1", [ann, bob]);
    const early = await openSocket(floor, { speaker: ann, conversation: "c1" });
    const other = await openSocket(floor, { speaker: bob, conversation: "c1" });
    for (const words of ["one", "two", "three"]) await floor.speak("c1", ann, words);
    await heard(early, "three");
    await heard(other, "three");
    const late = await openSocket(floor, { speaker: bob, conversation: "c1" });
    await heard(late, "three");
    expect(other.raw).toEqual(early.raw);
    expect(late.raw).toEqual(early.raw);
    for (const client of [early, other, late]) await client.close();
  });
});

describe("an event stream", () => {
  test("stays open and silent for a speaker without conversations, and sends entries once the speaker is seated", async () => {
    const stream = await openEvents(floor, { speaker: bob });
    expect(stream.status).toBe(200);
    await floor.openConversation("c1", [ann, bob]);
    await floor.speak("c1", ann, "hello bob");
    const items = await stream.events.until((all) => envelopesIn(all).length > 0, "an envelope");
    expect(wordsIn(JSON.parse(envelopesIn(items)[0]?.data ?? "null"))).toEqual(["hello bob"]);
    await stream.close();
  });

  test("sends its cursor, and resumes after Last-Event-ID", async () => {
    await floor.openConversation("c1", [ann]);
    await floor.speak("c1", ann, "one");
    await floor.speak("c1", ann, "two");
    for (const conversation of ["c1", undefined]) {
      const query = { speaker: ann, ...(conversation && { conversation }) };
      const first = await openEvents(floor, query);
      const items = await first.events.until((all) => envelopesIn(all).length === 2, "two envelopes");
      await first.close();
      const [one, two] = envelopesIn(items);
      const { seq } = JSON.parse(one?.data ?? "null") as Json;
      if (conversation !== undefined) expect(one?.id).toBe(String(seq));
      const second = await openEvents(floor, query, one?.id);
      const rest = await second.events.until((all) => envelopesIn(all).length === 1, "the other envelope");
      expect(envelopesIn(rest)[0]).toEqual(two);
      await second.close();
    }
  });

  test("sends drafts under their own event name", async () => {
    const bot = "tag:bot.example,2026:bot";
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await openSocket(floor, { speaker: bot, as: "agent" });
    const stream = await openEvents(floor, { speaker: ann });
    await floor.speak("c1", ann, "tell me", { speakerUri: bot });
    const { delivery: inReplyTo } = await heard(agent, "tell me");
    agent.send({ draft: { inReplyTo, dialogEventId: "story" } });
    agent.send({ draft: { inReplyTo, dialogEventId: "story", delta: "once" } });
    agent.send({ ...envelopeOf("c1", bot, [utterance(bot, "once", { id: "story" })]), inReplyTo });
    const isEnd = ({ event, data }: StreamEvent) => event === "draft" && data?.includes('"final"');
    const items = await stream.events.until((all) => all.some(isEnd), "the end of the draft");
    const drafts = items.filter(({ event }) => event === "draft");
    expect(drafts.every(({ id }) => id === undefined)).toBe(true);
    expect(drafts.map(({ data }) => (JSON.parse(data ?? "") as { draft: Json }).draft.delta ?? "").join("")).toBe(
      "once",
    );
    await agent.close();
    await stream.close();
  });

  test("sends an end event when the floor closes", async () => {
    const short = await startTestFloor({ retries: "default" });
    const headers = { authorization: `Bearer ${token}`, host: "localhost" };
    const response = await short.server.fetch(new Request(short.eventsUrl({ speaker: ann }), { headers }));
    await short.close();
    expect(await response.text()).toContain("event: end\ndata: ");
  });

  test("is refused without a speaker, a token or a readable cursor", async () => {
    expect((await floor.get("/openfloor/events")).status).toBe(400);
    expect((await floor.get(`/openfloor/events?speaker=${ann}&after=%21`)).status).toBe(400);
    expect((await floor.get(`/openfloor/events?speaker=${ann}`, { authorization: "" })).status).toBe(401);
  });
});

describe("a frame on a viewer's socket", () => {
  test("is acknowledged once, with its places in the log", async () => {
    await floor.openConversation("c1", [ann]);
    const client = await openSocket(floor, { speaker: ann, conversation: "c1" });
    const frame = { ...envelopeOf("c1", ann, [utterance(ann, "hello")]), id: "mine-1" };
    client.send(frame);
    client.send(frame);
    await client.frames.until((all) => all.filter(({ ack }) => ack === "mine-1").length === 2, "two answers");
    const { seq } = await heard(client, "hello");
    const answers = client.frames.items.filter(({ ack }) => ack !== undefined);
    expect(answers[0]?.seq).toContain(seq);
    expect(answers[1]).toEqual(answers[0]);
    const again = await openSocket(floor, { speaker: ann, conversation: "c1", after: String(seq) });
    again.send(frame);
    expect(await again.find(({ ack }) => ack === "mine-1", "an ack")).toMatchObject({ seq: [] });
    await floor.speak("c1", ann, "bye");
    await heard(again, "bye");
    expect(again.frames.items.flatMap(wordsIn)).toEqual(["bye"]);
    await client.close();
    await again.close();
  });

  test.each([
    ["no JSON", "{", null, 400],
    ["no object", "[]", null, 400],
    ["no envelope", '{"id":"a"}', "a", 400],
    ["no id", JSON.stringify(envelopeOf("c1", ann, [])), null, 400],
    ["an unknown key", '{"openFloor":{},"id":"a","other":1}', "a", 400],
    ["a broken envelope", '{"openFloor":{"events":1},"id":"a"}', "a", 400],
    ["an answer, which only agents give", '{"openFloor":{},"id":"a","inReplyTo":"d1"}', "a", 400],
    ["somebody who is not there", JSON.stringify({ ...envelopeOf("c1", cid, []), id: "a" }), "a", 403],
  ])("is refused with %s, and the socket stays open", async (_name, text, nack, status) => {
    await floor.openConversation("c1", [ann]);
    const client = await openSocket(floor, { speaker: ann, conversation: "c1" });
    client.send(text);
    const answer = await client.find((frame) => "nack" in frame, "a nack");
    expect(answer).toMatchObject({ nack, problem: { status } });
    client.send({ ...envelopeOf("c1", ann, [utterance(ann, "still here")]), id: "b" });
    await client.find(({ ack }) => ack === "b", "an ack");
    await client.close();
  });

  test("must be text: binary frames are refused, and huge frames close the socket", async () => {
    const client = await openSocket(floor, { speaker: ann });
    client.ws.send(Buffer.from("{}"), { binary: true });
    expect(await client.find((frame) => "nack" in frame, "a nack")).toMatchObject({ nack: null });
    client.ws.send("x".repeat(1_048_577));
    expect((await client.closed).code).toBe(1009);
  });
});

test("baggage in a frame counts like the header of that name, and an invalid field is refused by name", async () => {
  await floor.openConversation("c1", [ann]);
  const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
  const frame = (words: string) => envelopeOf("c1", ann, [utterance(ann, words)]);
  viewer.send({ ...frame("from afar"), id: "far", baggage: "plenary.depth=7,plenary.floors=tag%3Aone" });
  const { seq } = await viewer.find(({ ack }) => ack === "far", "an ack");
  const { body } = await floor.get("/api/v1/conversations/c1/log");
  const received = (body.entries as Json[]).find((entry) => (seq as unknown[])[0] === entry.seq);
  expect(received).toMatchObject({ kind: "received", depth: 7, floors: ["tag:one"] });
  viewer.send({ ...frame("too much"), id: "fat", baggage: "x".repeat(8_193) });
  const { problem } = await viewer.find(({ nack }) => nack === "fat", "a nack");
  expect(problem).toMatchObject({ status: 400, pointer: "/baggage" });
  await viewer.close();
});
