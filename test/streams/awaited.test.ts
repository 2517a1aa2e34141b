import { expect, test } from "vitest";
import { ann, bob, bot } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";

async function awaited(floor: TestFloor, speaker: string): Promise<unknown> {
  return (await floor.get(`/api/v1/conversations/c1?speaker=${encodeURIComponent(speaker)}`)).body.awaited;
}

test("all viewers see which answers the floor awaits; for a whisper only its two parties do", async () => {
  const floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  await floor.speak("c1", ann, "psst", { speakerUri: bot, private: true });
  const whisper = await agent.find(({ delivery }) => delivery !== undefined, "the whisper");
  expect([await awaited(floor, ann), await awaited(floor, bob)]).toEqual([[bot], []]);
  const nothing = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender: { speakerUri: bot }, events: [] };
  agent.send({ openFloor: nothing, inReplyTo: whisper.delivery, id: "1" });
  await agent.find(({ ack }) => ack === "1", "that it was taken");
  await floor.speak("c1", ann, "hello all");
  await agent.find(({ delivery }) => delivery !== undefined && delivery !== whisper.delivery, "the words");
  expect([await awaited(floor, ann), await awaited(floor, bob)]).toEqual([[bot], [bot]]);
  await floor.close();
});
