import { invite, replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, bob, nemoFixture, robot, type Workflow, wordsIn } from "../testing/nemo-fixture.ts";
import { answerReceived, waitingForAnswer } from "../testing/nemo-prompt-fixture.ts";
import type { NemoSettings } from "./settings.ts";

async function arrived(settings: Partial<NemoSettings> = {}) {
  const stage = nemoFixture(settings);
  await stage.invite();
  return { ...stage, flow: await stage.workflow() };
}

/** The next request to the workflow, which answers it. */
async function heard(flow: Workflow, answer: Promise<unknown>) {
  const message = await flow.take();
  flow.delta("Yes.");
  flow.complete();
  await answer;
  return message;
}

const alone = { present: [ann] };

test.each([
  ["@Flow what is new?", "what is new?"],
  ["@flow, what is new?", "what is new?"],
  ["@Flow: what is new?", "what is new?"],
  ["@Flower what is new?", "@Flower what is new?"],
  ["what is new, @Flow?", "what is new, @Flow?"],
  ["@Flow", "@Flow"],
])("%j of a person alone with the agent becomes %j", async (text, words) => {
  const { say, flow } = await arrived();
  expect(wordsIn(await heard(flow, say(text, alone)))).toEqual([`user: ${words}`]);
});

test("a person alone with the agent gets no name prefix in the history or in a whisper", async () => {
  const { say, whisper, flow } = await arrived();
  await heard(flow, say("@Flow one", alone));
  const second = await heard(flow, whisper("two", alone));
  expect(wordsIn(second)).toEqual(["user: one", "assistant: Yes.", "user: two"]);
});

test.each([
  ["another person", [ann, bob]],
  ["an agent", [ann, robot]],
])("with %s present, each text starts with a name", async (_, present) => {
  const { say, flow } = await arrived();
  expect(wordsIn(await heard(flow, say("@Flow hello", { present })))).toEqual(["user: Ann: @Flow hello"]);
});

test("the text of a person who left keeps the name", async () => {
  const { say, flow, workflow } = await arrived();
  const toBob = say("my turn", { from: bob });
  await heard(await workflow(), toBob);
  const words = wordsIn(await heard(flow, say("and mine", alone)));
  expect(words).toEqual([expect.stringMatching(/^user: \S+: my turn$/u), "assistant: Yes.", "user: Ann: and mine"]);
});

test("reported utterances of the agent have the role user and its name", async () => {
  const { deliver, say, workflow } = nemoFixture();
  const history = {
    id: "de:told",
    speakerUri: "tag:flow.example,2025:1",
    span: { startTime: "2025-01-31T10:05:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: "I gave it away." }] } },
  };
  await deliver([invite({ to: { serviceUrl: "https://flow.example/" }, dialogHistory: [history] })], alone);
  const flow = await workflow();
  const words = wordsIn(await heard(flow, say("did you?", alone)));
  expect(words).toEqual(["user: Flow (as others tell it): I gave it away.", "user: Ann: did you?"]);
});

test("a generate schema gets the text without the leading @name", async () => {
  const { say, flow } = await arrived({ schemaType: "generate" });
  expect(wordsIn(await heard(flow, say("@Flow hello")))).toEqual(["user: hello"]);
});

test.each([
  ["one for a person, also after an answered prompt", {}, 1],
  ["shared: another one after an answered prompt, which others must not hear of", { sharedSession: true }, 2],
])("the conversation of the workflow is %s", async (_, settings, count) => {
  const { say, whisper, flow, id } = await waitingForAnswer(undefined, settings);
  const ids = [flow.state.turn.conversation_id];
  const answer = whisper("Red", { features: { interactionReply: replyFeature(id, ["#f00"]) } });
  await answerReceived(flow);
  flow.complete();
  await answer;
  for (const text of ["more", "and more"]) ids.push((await heard(flow, say(text))).conversation_id);
  expect(new Set(ids).size).toBe(count);
  const whispered = [await heard(flow, whisper("psst")), await heard(flow, whisper("psst again"))];
  expect(new Set(whispered.map(({ conversation_id }) => conversation_id)).size).toBe(1);
  expect(ids).not.toContain(whispered[0]?.conversation_id);
});
