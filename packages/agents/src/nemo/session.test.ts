import { invite, replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, bob, nemoFixture, robot, summaryOf, type Workflow, wordsIn } from "../testing/nemo-fixture.ts";
import { answerReceived, colours, waitingForAnswer } from "../testing/nemo-prompt-fixture.ts";

const sessionIn = ({ headers }: Workflow) => /^nat-session=([\w-]{43})$/u.exec(headers.cookie ?? "")?.[1];

/** The session of a person, after one answered turn. */
async function used({ say, workflow }: ReturnType<typeof nemoFixture>, from: typeof ann) {
  const answer = say("hello", { from });
  const flow = await workflow();
  const { conversation_id: id } = await flow.take();
  flow.delta("Hello.");
  flow.complete();
  await answer;
  return { flow, id };
}

test("each person has a session and a conversation of their own, the same after a restart", async () => {
  const sessions = [];
  for (const sessionKey of ["k1", "k1", "k2"]) {
    const stage = nemoFixture({ sessionKey });
    const both = [await used(stage, ann), await used(stage, bob)];
    sessions.push(both.map(({ flow }) => sessionIn(flow)));
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect(both.map(({ flow }) => flow.url).join()).not.toContain(sessions[0]?.[0]);
  }
  expect(sessions[1]).toEqual(sessions[0]);
  expect(new Set(sessions.flat()).size).toBe(4);
  expect(sessions.flat()).not.toContain(undefined);
});

test("each server gets another session id, so that none can impersonate the person at another", async () => {
  const [one, two] = ["ws://one.example/websocket", "ws://two.example/websocket"].map((url) =>
    nemoFixture({ sessionKey: "k1", url }),
  );
  if (one === undefined || two === undefined) throw new Error("two stages");
  expect(sessionIn((await used(one, ann)).flow)).not.toBe(sessionIn((await used(two, ann)).flow));
});

test("shared: no session cookie is sent", async () => {
  const stage = nemoFixture({ sharedSession: true });
  const { flow } = await used(stage, ann);
  expect(flow.headers).toEqual({});
  const answer = stage.say("hello", { from: bob });
  expect(wordsIn(await flow.take()).at(-1)).toBe("user: Bob: hello");
  flow.complete();
  await answer;
});

test("two people are answered at once, each by their own run", async () => {
  const { say, workflow } = nemoFixture();
  const toAnn = say("one");
  const first = await workflow();
  await first.take();
  const toBob = say("two", { from: bob });
  const second = await workflow();
  await second.take();
  second.delta("Two.");
  second.complete();
  expect(summaryOf(await toBob)).toEqual(["Two."]);
  first.delta("One.");
  first.complete();
  expect(summaryOf(await toAnn)).toEqual(["One."]);
});

test("a question to one person does not block others, and others cannot answer it", async () => {
  const { say, whisper, flow, workflow, id } = await waitingForAnswer();
  const toBob = say("Red", { from: bob });
  const other = await workflow();
  expect(wordsIn(await other.take()).at(-1)).toBe("user: Bob: Red");
  other.delta("Hello Bob.");
  other.complete();
  expect(summaryOf(await toBob)).toEqual(["Hello Bob."]);
  const reply = { features: { interactionReply: replyFeature(id, ["#f00"]) } };
  expect(await whisper("Red", { ...reply, from: bob })).toEqual([]);
  const answer = whisper("Blue");
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #00f"]);
  flow.complete();
  await answer;
});

test("two people can each have an open question", async () => {
  const { say, whisper, flow, workflow } = await waitingForAnswer();
  const toBob = say("paint it too", { from: bob });
  const other = await workflow();
  await other.take();
  other.prompt(colours);
  expect(summaryOf(await toBob)).toEqual(["(Bob) Which colour? (Red, Blue)"]);
  const answers = [whisper("Blue", { from: bob }), whisper("Red")];
  expect(await answerReceived(other)).toEqual(["user_interaction_message", "user: #00f"]);
  expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #f00"]);
  other.complete();
  flow.complete();
  await Promise.all(answers);
});

test.each([robot, bob])(
  "words of others that come with an invite run in the session of the one who invites",
  async (from) => {
    const { deliver, whisper, workflow, say } = nemoFixture();
    const dialogEvent = {
      id: "de:told",
      speakerUri: ann.speakerUri,
      span: { startTime: "2025-01-31T10:05:00Z" },
      features: { text: { mimeType: "text/plain", tokens: [{ value: "Flow, paint it" }] } },
    };
    const to = { serviceUrl: "https://flow.example/" };
    const brought = deliver([invite({ to, dialogHistory: [dialogEvent] })], { from });
    const flow = await workflow();
    await flow.take();
    flow.prompt(colours);
    expect(summaryOf(await brought).at(-1)).toBe("(Ann) Which colour? (Red, Blue)");
    const answer = whisper("Blue");
    expect(await answerReceived(flow)).toEqual(["user_interaction_message", "user: #00f"]);
    flow.complete();
    await answer;
    const toAnn = say("hello");
    const own = await workflow();
    expect(sessionIn(own)).not.toBe(sessionIn(flow));
    await own.take();
    own.complete();
    await toAnn;
  },
);

/** Guests by number. */
const guest = (number: number) => ({ ...ann, speakerUri: `tag:guest.example,2025:${number}` });

test("the socket unused for longest is closed, and its person keeps the conversation of the workflow", async () => {
  const stage = nemoFixture();
  const first = await used(stage, guest(0));
  const rest = [];
  for (let number = 1; number <= 16; number += 1) rest.push(await used(stage, guest(number)));
  expect([first, ...rest].map(({ flow }) => flow.state.isOpen)).toEqual([false, ...rest.map(() => true)]);
  expect((await used(stage, guest(0))).id).toBe(first.id);
});

test("when too many sessions are busy, the next person is asked to try again, and no run stops", async () => {
  const { say, workflow } = nemoFixture();
  const running = [];
  for (let number = 0; number < 16; number += 1) {
    const answer = say("work", { from: guest(number) });
    const flow = await workflow();
    await flow.take();
    running.push({ flow, answer });
  }
  expect(summaryOf(await say("me too"))).toEqual([expect.stringMatching(/^\(Ann\) Sorry, I am working for too many/u)]);
  for (const { flow } of running) {
    flow.delta("Done.");
    flow.complete();
  }
  for (const { answer } of running) expect(summaryOf(await answer)).toEqual(["Done."]);
});

test("unanswered questions do not block other people, and their askers get the outcome later", async () => {
  const { say, whisper, workflow, advance } = nemoFixture();
  const left = [];
  for (let number = 0; number < 16; number += 1) {
    const asking = say("paint it", { from: guest(number) });
    const flow = await workflow();
    await flow.take();
    flow.prompt(colours);
    await asking;
    left.push(flow);
  }
  expect(summaryOf(await say("me too"))).toEqual([expect.stringContaining("too many")]);
  advance(60_000);
  for (const flow of left) {
    flow.delta("I took red.");
    flow.complete();
  }
  const answer = say("me too");
  const flow = await workflow();
  await flow.take();
  flow.delta("Hello.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["Hello."]);
  const late = whisper("Blue", { from: guest(0) });
  expect(summaryOf(await late)).toEqual(["(?) Too late.", "(?) I took red."]);
});

test("after three failures the agent does not leave while it works for another person", async () => {
  const { say, workflow } = nemoFixture();
  const toBob = say("work", { from: bob });
  const busy = await workflow();
  await busy.take();
  const failed = say("hello");
  const flow = await workflow();
  const answers = [failed];
  for (let count = 0; count < 3; count += 1) {
    await flow.take();
    flow.fail();
    flow.complete();
    expect(summaryOf(await (answers.at(-1) ?? failed))).toEqual([expect.stringContaining("my workflow failed")]);
    if (count < 2) answers.push(say("again"));
  }
  busy.delta("Done.");
  busy.complete();
  expect(summaryOf(await toBob)).toEqual(["Done."]);
});
