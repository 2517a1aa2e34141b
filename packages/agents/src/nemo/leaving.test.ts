import { type FloorEvent, replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { summaryOf, type Workflow, wordsIn } from "../testing/nemo-fixture.ts";
import { answerReceived, colours, consentUrl, waitingForAnswer } from "../testing/nemo-prompt-fixture.ts";

const leftWords = "(Ann) I dropped my question, because you went on to something else.";

/** The next turn; the workflow answers with the last text of the request. */
async function echoed(workflow: () => Promise<Workflow>): Promise<string> {
  const flow = await workflow();
  const { conversation_id: id, ...message } = await flow.take();
  flow.delta(`heard ${wordsIn({ ...message, conversation_id: id }).at(-1)}`);
  flow.complete();
  return id;
}

test.each(["@Flow hello", "@flow, hello"])("a new call %j drops the open question", async (text) => {
  const { say, whisper, flow, workflow, id } = await waitingForAnswer();
  const former = flow.state.turn.conversation_id;
  const answer = say(text);
  expect(await echoed(workflow)).not.toBe(former);
  expect(summaryOf(await answer)).toEqual([`heard user: Ann: ${text}`, leftWords]);
  expect(flow.state.isOpen).toBe(false);
  const late = whisper("Red", { features: { interactionReply: replyFeature(id, ["#f00"]) } });
  expect(summaryOf(await late)).toEqual(["(Ann) Too late."]);
});

test("a second text that is no choice is a new question", async () => {
  const { say, whisper, flow, workflow } = await waitingForAnswer();
  expect(summaryOf(await whisper("green"))).toEqual([expect.stringContaining("not one of the choices")]);
  const answer = say("what is the time?");
  await echoed(workflow);
  expect(summaryOf(await answer)).toEqual(["heard user: Ann: what is the time?", leftWords]);
  expect(flow.state.isOpen).toBe(false);
});

test("a repeated question keeps its id, and a dropped one is replaced", async () => {
  const { say, whisper, workflow, id } = await waitingForAnswer();
  const interactions = (events: readonly FloorEvent[]) =>
    events.flatMap((event) => {
      if (event.eventType !== "utterance") return [];
      const { interaction } = event.parameters.dialogEvent.features;
      return interaction === undefined ? [] : [interaction.tokens[0]?.value];
    });
  expect(interactions(await whisper("green"))).toMatchObject([{ id, input_type: "radio" }]);
  const answer = say("what is the time?");
  await echoed(workflow);
  expect(interactions(await answer)).toMatchObject([{ id, input_type: "notification" }]);
});

test("a wrong answer to one question does not count against the next", async () => {
  const { whisper, flow } = await waitingForAnswer();
  await whisper("green");
  const next = whisper("Red");
  await flow.take();
  flow.prompt(colours);
  expect(summaryOf(await next)).toEqual(["(Ann) Which colour? (Red, Blue)"]);
  expect(summaryOf(await whisper("green"))).toEqual([expect.stringContaining("not one of the choices")]);
});

test("wrong numbers and a bare name repeat the question every time", async () => {
  const { whisper } = await waitingForAnswer();
  for (const text of ["7", "@Flow 8", "9"]) {
    expect(summaryOf(await whisper(text))).toEqual(["(Ann) Choose a number from 1 to 2. Which colour? (Red, Blue)"]);
  }
  expect(summaryOf(await whisper("@Flow"))).toEqual([
    '(Ann) "@Flow" is not one of the choices. Which colour? (Red, Blue)',
  ]);
});

test("a choice may start with the name of the agent", async () => {
  const { say, flow } = await waitingForAnswer();
  const answer = say("@Flow blue");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #00f"]);
  flow.complete();
  await answer;
});

test.each([
  ["@Flow Ada Lovelace", "Ada Lovelace"],
  ["Flow, like a river", "Flow, like a river"],
  ["no choice at all", "no choice at all"],
])("the text %j answers a text prompt with %j", async (text, value) => {
  const { say, flow } = await waitingForAnswer({ input_type: "text", text: "Your name?" });
  const answer = say(text);
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", `user: ${value}`]);
  flow.complete();
  await answer;
});

test("a new text before the consent drops the question", async () => {
  const { say, flow, workflow } = await waitingForAnswer({ input_type: "oauth_consent", text: consentUrl });
  const answer = say("@Flow radio");
  await echoed(workflow);
  expect(summaryOf(await answer)).toEqual(["heard user: Ann: @Flow radio", leftWords]);
  expect(flow.state.isOpen).toBe(false);
});

test("a new text after the consent still gets what the workflow said since", async () => {
  const { say, flow } = await waitingForAnswer({ input_type: "oauth_consent", text: consentUrl });
  flow.delta("Thank you.");
  flow.complete();
  const answer = say("@Flow radio");
  await flow.take();
  flow.delta("On air.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["On air.", "(Ann) Thank you."]);
});
