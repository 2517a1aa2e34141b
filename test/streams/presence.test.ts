import { expect, test } from "vitest";
import { ann, bob, bot, type Json } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openEvents, openSocket } from "../support/test-client.ts";
import { createCollection } from "../support/wait-for.ts";

async function presence(floor: TestFloor, query = ""): Promise<unknown> {
  const { body } = await floor.get(`/api/v1/conversations/c1${query}`);
  return Object.fromEntries(
    (body.conversants as Json[]).map((one) => [(one.identification as Json).speakerUri, one.presence]),
  );
}

test("a person is present while its stream is open and for a while after, then away; an agent is neither", async () => {
  const changes = createCollection<string>();
  const onPresence = (speakerUri: string, state: string) => changes.add(`${speakerUri} ${state}`);
  const floor = await startTestFloor({ retries: "default", streams: { limits: { awayMs: 1_500 }, onPresence } });
  await floor.openConversation("c1", [ann, bob], [bot]);
  expect(await presence(floor)).toEqual({ [ann]: "away", [bob]: "away", [bot]: undefined });
  const client = await openSocket(floor, { speaker: ann, conversation: "c1", view: "brief" });
  const stream = await openEvents(floor, { speaker: bob });
  expect(await presence(floor)).toEqual({ [ann]: "here", [bob]: "here", [bot]: undefined });
  await client.close();
  expect(await presence(floor)).toMatchObject({ [ann]: "here" });
  await changes.until((all) => all.includes(`${ann} away`), "away");
  expect(await presence(floor)).toEqual({ [ann]: "away", [bob]: "here", [bot]: undefined });
  await stream.close();
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("the past of a conversation does not contain presence", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann]);
  expect(await presence(floor, "?at=1")).toEqual({ [ann]: undefined });
  await floor.close();
});
