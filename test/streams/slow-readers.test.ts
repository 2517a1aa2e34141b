import { afterEach, expect, test } from "vitest";
import { ann, bob, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { envelopesIn, openEvents, openSocket } from "../support/test-client.ts";
import { createCollection } from "../support/wait-for.ts";

let floor: TestFloor;

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

// More than the buffers of the system hold, so that unread bytes stay with the floor.
const page = "x".repeat(900_000);

test("a reader that reads nothing is disconnected with its cursor, and loses nothing", async () => {
  floor = await startTestFloor({ retries: "default", streams: { limits: { lagEntriesMax: 8 } } });
  await floor.openConversation("c1", [ann, bob]);
  const slow = await openSocket(floor, { speaker: ann, conversation: "c1" });
  const quick = await openSocket(floor, { speaker: bob, conversation: "c1" });
  await floor.speak("c1", bob, "first");
  await slow.find((frame) => wordsIn(frame).includes("first"), "the first words");
  slow.ws.pause();
  const said = ["first"];
  for (let count = 0; count < 16; count += 1) {
    const words = `${count}:${page}`;
    said.push(words);
    await floor.speak("c1", bob, words);
  }
  await quick.frames.until((all) => all.length === said.length, "all of it");
  slow.ws.resume();
  const { code, reason } = await slow.closed;
  expect(code).toBe(4008);
  const place = Number(/^slow reader, resume from seq (\d+)$/u.exec(reason)?.[1]);
  expect(slow.frames.items.at(-1)?.seq).toBeLessThanOrEqual(place);
  expect(slow.frames.items.length).toBeLessThan(said.length);
  const again = await openSocket(floor, { speaker: ann, conversation: "c1", after: String(place) });
  await again.find(({ seq }) => seq === quick.frames.items.at(-1)?.seq, "the rest");
  const words = [...slow.frames.items, ...again.frames.items].flatMap(wordsIn);
  expect(words.map((word) => word.slice(0, 10))).toEqual(said.map((word) => word.slice(0, 10)));
  await again.close();
  await quick.close();
});

test("a reader that reads nothing for too long is disconnected, however little is unread", async () => {
  floor = await startTestFloor({ retries: "default", streams: { limits: { lagMs: 1, bufferedBytesHigh: 1_000 } } });
  await floor.openConversation("c1", [ann]);
  const slow = await openSocket(floor, { speaker: ann, conversation: "c1" });
  slow.ws.pause();
  for (let count = 0; count < 12; count += 1) await floor.speak("c1", ann, `${count}:${page}`);
  slow.ws.resume();
  expect((await slow.closed).code).toBe(4008);
});

test("a reader that is far behind but reads is not disconnected, on a socket or an event stream", async () => {
  floor = await startTestFloor({
    retries: "default",
    streams: { limits: { lagEntriesMax: 2, bufferedBytesHigh: 2_000 } },
  });
  await floor.openConversation("c1", [ann]);
  const words = Array.from({ length: 150 }, (_, count) => `${count}:${"x".repeat(2_000)}`);
  for (const word of words) await floor.speak("c1", ann, word);
  const socket = await openSocket(floor, { speaker: ann, conversation: "c1" });
  const stream = await openEvents(floor, { speaker: ann, conversation: "c1" });
  await socket.frames.until((all) => all.length === words.length, "everything");
  const items = await stream.events.until((all) => envelopesIn(all).length === words.length, "everything");
  expect(socket.frames.items.flatMap(wordsIn)).toEqual(words);
  expect(envelopesIn(items).flatMap(({ data }) => wordsIn(JSON.parse(data ?? "null")))).toEqual(words);
  await socket.close();
  await stream.close();
});

test("a socket that answers no ping is closed; an idle event stream sends keep-alive comments", async () => {
  floor = await startTestFloor({ retries: "default", streams: { limits: { pingMs: 5, heartbeatMs: 5 } } });
  const alive = await openSocket(floor, { speaker: ann });
  const dead = await openSocket(floor, { speaker: bob });
  dead.ws.pong = () => {};
  const stream = await openEvents(floor, { speaker: ann });
  await stream.events.until((all) => all.filter(({ comment }) => comment === "still here").length > 2, "heartbeats");
  dead.ws.pause();
  const pings = createCollection<string>();
  alive.ws.on("ping", () => pings.add("ping"));
  await pings.until((all) => all.length > 4, "pings");
  dead.ws.resume();
  expect((await dead.closed).code).toBe(1006);
  expect(alive.ws.readyState).toBe(alive.ws.OPEN);
  await alive.close();
  await stream.close();
});

test("a person is away some time after its last stream ended, and present when it returns", async () => {
  const changes = createCollection<string>();
  const onPresence = (speakerUri: string, state: string) => changes.add(`${speakerUri} ${state}`);
  floor = await startTestFloor({ retries: "default", streams: { limits: { awayMs: 1 }, onPresence } });
  await floor.openConversation("c1", [ann]);
  const first = await openSocket(floor, { speaker: ann });
  await first.close();
  await changes.until((all) => all.includes(`${ann} away`), "away");
  const second = await openSocket(floor, { speaker: ann });
  await changes.until((all) => all.length === 3, "back");
  expect(changes.items).toEqual([`${ann} here`, `${ann} away`, `${ann} here`]);
  const { body } = await floor.get("/api/v1/conversations/c1");
  expect(JSON.stringify(body.conversants)).toContain(ann);
  await second.close();
});

test("the number of streams for one speaker is limited", async () => {
  floor = await startTestFloor({ retries: "default", streams: { limits: { streamsPerSpeakerMax: 1 } } });
  const one = await openSocket(floor, { speaker: ann });
  const two = await openSocket(floor, { speaker: ann });
  expect((await two.closed).code).toBe(1013);
  expect((await floor.get(`/openfloor/events?speaker=${ann}`)).status).toBe(429);
  await one.close();
});
