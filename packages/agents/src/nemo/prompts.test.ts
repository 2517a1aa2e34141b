import { replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { bob, featureIn, nemoFixture, robot, summaryOf, wordsIn } from "../testing/nemo-fixture.ts";
import { answerReceived, colours, consentUrl, waitingForAnswer } from "../testing/nemo-prompt-fixture.ts";

const shared = { sharedSession: true };

test("a prompt is a private question to the asker with all its fields", async () => {
  const { events, id } = await waitingForAnswer();
  expect(summaryOf(events)).toEqual(["(Ann) Which colour? (Red, Blue)"]);
  expect(featureIn(events[0], "interaction")).toEqual({
    id,
    ...colours,
    required: true,
    error: "Too late.",
  });
});

test("text before a prompt is public", async () => {
  const { say, invite, workflow } = nemoFixture();
  await invite();
  const flow = await workflow();
  const answer = say("paint it");
  await flow.take();
  flow.delta("Let me see.");
  flow.prompt(colours);
  expect(summaryOf(await answer)).toEqual(["Let me see.", "(Ann) Which colour? (Red, Blue)"]);
});

test("an agent that never chooses is asked a limited number of times", async () => {
  const { say, whisper, invite, workflow } = nemoFixture();
  await invite();
  const answer = say("paint it", { from: robot });
  await workflow();
  const flow = await workflow();
  await flow.take();
  flow.prompt(colours);
  await answer;
  const counts = [];
  for (let count = 0; count < 10; count += 1) counts.push((await whisper("I see.", { from: robot })).length);
  expect(counts).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
});

test.each(["2", "blue", "#00F", "b"])("the plain reply %j selects the value of its option", async (text) => {
  const { whisper, flow } = await waitingForAnswer();
  const answer = whisper(text);
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #00f"]);
  flow.delta("It is blue.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["(Ann) It is blue."]);
});

test("a reply by feature may have several values", async () => {
  const { whisper, flow, id } = await waitingForAnswer({ ...colours, input_type: "checkbox" });
  const answer = whisper("Red, Blue", { features: { interactionReply: replyFeature(id, ["#f00", "#00f"]) } });
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #f00, #00f"]);
  flow.complete();
  await answer;
});

test("an invalid choice repeats the question with the problem, and does not reach the workflow", async () => {
  const { whisper, flow, advance } = await waitingForAnswer();
  advance(20_000);
  const events = await whisper("green");
  expect(summaryOf(events)).toEqual(['(Ann) "green" is not one of the choices. Which colour? (Red, Blue)']);
  expect(featureIn(events[0], "interaction")).toMatchObject({ timeout: 40 });
  expect(summaryOf(await whisper("7"))).toEqual(["(Ann) Choose a number from 1 to 2. Which colour? (Red, Blue)"]);
  const answer = whisper("1");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #f00"]);
  flow.complete();
  await answer;
});

test("a prompt without a timeout shows the time of the client", async () => {
  const { events } = await waitingForAnswer({ ...colours, timeout: null });
  expect(featureIn(events[0], "interaction")).toMatchObject({ timeout: 600 });
});

test("a second answer to a prompt gets the text that it is closed", async () => {
  const { whisper, flow, id } = await waitingForAnswer();
  const reply = { features: { interactionReply: replyFeature(id, ["#f00"]) } };
  const answer = whisper("Red", reply);
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #f00"]);
  flow.complete();
  expect(await answer).toEqual([]);
  expect(summaryOf(await whisper("Red", reply))).toEqual(["(Ann) Too late."]);
});

test("an empty answer to an optional prompt is sent as a space, because the toolkit closes the socket otherwise", async () => {
  const { whisper, flow, id } = await waitingForAnswer({ input_type: "text", text: "Anything else?", required: false });
  const answer = whisper("No answer", { features: { interactionReply: replyFeature(id, []) } });
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user:  "]);
  flow.complete();
  await answer;
});

test("an expired prompt takes no answer; the asker gets its error and the output of the workflow", async () => {
  const { whisper, flow, advance, id } = await waitingForAnswer();
  advance(60_000);
  const late = whisper("Blue", { features: { interactionReply: replyFeature(id, ["#00f"]) } });
  flow.delta("I took red.");
  flow.fail("TimeoutError");
  flow.complete();
  expect(summaryOf(await late)).toEqual(["(Ann) Too late.", "(Ann) I took red."]);
  const next = whisper("thank you");
  expect((await flow.take()).type).toBe("user_message");
  flow.complete();
  await next;
});

/** The floor sends this when a question got no answer in time. */
const lapse = (id: string) => {
  const tokens = [{ value: { id, values: [], lapsed: true } }];
  return { features: { interactionReply: { mimeType: "application/vnd.plenary.interaction+json", tokens } } };
};
const theFloor = { ...robot, speakerUri: "tag:floor.example,2025:floor" };

test("when the floor reports an expired question, the asker gets the output of the workflow at once", async () => {
  const { say, flow, advance, id } = await waitingForAnswer();
  expect(await say("Nobody answered.", { from: theFloor, ...lapse(id) })).toEqual([]);
  expect(await say("Nobody answered.", { from: theFloor, ...lapse("another") })).toEqual([]);
  advance(59_000);
  const answer = say("Nobody answered.", { from: theFloor, ...lapse(id) });
  flow.delta("I took red.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["(Ann) I took red."]);
});

test("shared: the next speaker gets an answer, and the asked person is informed", async () => {
  const { say, flow, advance } = await waitingForAnswer(colours, shared);
  advance(60_000);
  flow.complete();
  const answer = say("hello", { from: bob });
  expect(wordsIn(await flow.take())).toEqual(["user: Ann: paint it", "user: Bob: hello"]);
  flow.delta("Hello Bob.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["Hello Bob.", "(Ann) Too late."]);
});

test("shared: utterances during a prompt are answered after it", async () => {
  const { say, whisper, flow } = await waitingForAnswer(colours, shared);
  expect(summaryOf(await say("hello?", { from: bob }))).toEqual([expect.stringContaining("(Bob) I am waiting")]);
  await say("still there?", { from: bob });
  const answer = whisper("Red");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #f00"]);
  flow.delta("It is red.");
  flow.complete();
  expect(wordsIn(await flow.take())).toEqual([
    ...["user: Ann: paint it", "user: Bob: hello?"],
    "user: Bob: still there?",
  ]);
  flow.delta("Here I am.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["(Ann) It is red.", "(Bob) Here I am."]);
});

test("shared: a workflow that asks again after an expired prompt asks the same person, and others wait", async () => {
  const { say, whisper, flow, advance } = await waitingForAnswer(colours, shared);
  advance(60_000);
  flow.prompt({ text: "Shall I choose?" });
  expect(summaryOf(await say("hello", { from: bob }))).toEqual(["(Ann) Too late.", "(Ann) Shall I choose?"]);
  const answer = whisper("yes");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: yes"]);
  flow.complete();
  expect(wordsIn(await flow.take()).at(-1)).toBe("user: Bob: hello");
  flow.delta("Hello Bob.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["(Bob) Hello Bob."]);
});

test("only the asker can answer, even by the id of the question", async () => {
  const { whisper, flow, id } = await waitingForAnswer();
  const reply = { features: { interactionReply: replyFeature(id, ["#f00"]) } };
  expect(await whisper("Red", { ...reply, from: bob })).toEqual([]);
  const answer = whisper("Blue");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #00f"]);
  flow.complete();
  await answer;
});

test("consent is a private question with a link, and the run continues after it", async () => {
  const { events, whisper, flow, id } = await waitingForAnswer({ input_type: "oauth_consent", text: consentUrl });
  const words = "My workflow needs your consent: give it at login.example, then continue.";
  expect(summaryOf(events)).toEqual([`(Ann) ${words} (Continue, Cancel) ${consentUrl}`]);
  expect(featureIn(events[0], "interaction")).toMatchObject({
    text: words,
    url: consentUrl,
    options: [{ id: "continue" }, { id: "cancel" }],
  });
  flow.delta("Thank you.");
  flow.complete();
  const answer = whisper("Continue", { features: { interactionReply: replyFeature(id, ["continue"]) } });
  expect(summaryOf(await answer)).toEqual(["(Ann) Thank you."]);
});

test("shared: a workflow that continued after the consent does not keep others waiting", async () => {
  const { say, flow } = await waitingForAnswer({ input_type: "oauth_consent", text: consentUrl }, shared);
  flow.delta("Thank you.");
  flow.complete();
  const answer = say("hello", { from: bob });
  await flow.take();
  flow.delta("Hello Bob.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["Hello Bob.", "(Ann) Thank you."]);
});

test("cancelling the consent stops the workflow", async () => {
  const { whisper, flow } = await waitingForAnswer({ input_type: "oauth_consent", text: consentUrl });
  expect(summaryOf(await whisper("cancel"))).toEqual([expect.stringMatching(/^\(Ann\) Cancelled/u)]);
  expect(flow.state.isOpen).toBe(false);
});

test.each(["javascript:alert(1)", "https://user:secret@login.example/", "nowhere"])(
  "nobody is sent to %s",
  async (text) => {
    const { events, flow } = await waitingForAnswer({ input_type: "oauth_consent", text });
    expect(summaryOf(events)).toEqual([expect.stringContaining("an address that is not safe")]);
    expect(flow.state.isOpen).toBe(false);
  },
);

test("a prompt lost in a reconnection is a failed run with a clear text", async () => {
  const { whisper, flow, workflow } = await waitingForAnswer();
  flow.drop();
  const again = await workflow();
  again.state.turn = flow.state.turn;
  again.prompt({ ...colours, timeout: 30 });
  await new Promise(setImmediate);
  const answer = whisper("Red");
  await again.take();
  again.drop();
  expect(summaryOf(await answer)).toEqual([expect.stringContaining("(Ann) Sorry, my workflow lost its question")]);
});
