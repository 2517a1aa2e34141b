// The stream of a conversant that leaves or is removed.
import { expect, test } from "vitest";
import { ann, bob, cid, envelopeOf, type Json, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openEvents, openSocket } from "../support/test-client.ts";

const whole = "/api/v1/conversations/c1";

type View = { seq: number; kind: string } & Json;

async function leave(floor: TestFloor, way: "remove" | "bye"): Promise<void> {
  if (way === "remove") await floor.post(`${whole}/remove`, { speakerUri: bob });
  else await floor.post("/openfloor", envelopeOf("c1", bob, [{ eventType: "bye" }]));
}

test.each(["remove", "bye"] as const)("after %s the stream shows that event, nothing later, and ends", async (way) => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob, cid]);
  const query = { speaker: bob, conversation: "c1", view: "brief" };
  const [client, stream] = [await openSocket(floor, query), await openEvents(floor, query)];
  const owner = await openSocket(floor, { ...query, speaker: ann });
  const plain = await openSocket(floor, { speaker: bob, conversation: "c1" });
  await leave(floor, way);
  await floor.speak("c1", ann, "without him");
  await owner.find((frame) => wordsIn(frame).includes("without him"), "what came after");
  expect(await client.closed).toEqual({ code: 4010, reason: "you are not in this conversation any more" });
  const [end] = (await stream.events.until((all) => all.some(({ event }) => event === "end"), "the end")).slice(-1);
  const why = { why: "gone", advice: "you are not in this conversation any more" };
  expect({ event: end?.event, ...JSON.parse(end?.data ?? "") }).toEqual({ event: "end", ...why });
  const shown = client.frames.items.map(({ entry }) => entry as View);
  expect(shown.at(-1)).toMatchObject({ kind: "event", event: { eventType: way === "bye" ? "bye" : "uninvite" } });
  expect(shown.map(({ seq }) => seq)).toEqual(shown.map((_, index) => index + 1));
  expect(plain.ws.readyState).toBe(plain.ws.OPEN);
  // A second request returns the same part and the same end.
  const again = await openSocket(floor, query);
  expect((await again.closed).code).toBe(4010);
  const { body } = await floor.get(`${whole}/log?view=brief&speaker=${encodeURIComponent(bob)}`);
  expect(again.frames.items.map(({ entry }) => entry)).toEqual(body.entries);
  for (const one of [owner, plain, stream]) await one.close();
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("a stream follows a conversant that leaves and returns", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob]);
  await leave(floor, "remove");
  await floor.speak("c1", ann, "without him");
  await floor.seat("c1", bob, "person");
  const client = await openSocket(floor, { speaker: bob, conversation: "c1", view: "brief" });
  await floor.speak("c1", ann, "with him");
  await client.find((frame) => wordsIn(frame).includes("with him"), "what came after");
  expect(client.frames.items.flatMap(wordsIn)).toEqual(["with him"]);
  expect(client.ws.readyState).toBe(client.ws.OPEN);
  await client.close();
  await floor.close();
});
