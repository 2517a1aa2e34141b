import { DialError } from "@plenary/sdk";
import { expect, test } from "vitest";
import { ann, bob, featureIn, nemoFixture, summaryOf, wordsIn } from "../testing/nemo-fixture.ts";
import type { NemoSettings } from "./settings.ts";

async function arrived(settings: Partial<NemoSettings> = {}) {
  const stage = nemoFixture(settings);
  await stage.invite();
  return { ...stage, flow: await stage.workflow() };
}

test("an invite opens the socket, greets, and runs nothing", async () => {
  const { invite, workflow } = nemoFixture({ greeting: "Hello from afar.", headers: { authorization: "Bearer k" } });
  expect(summaryOf(await invite())).toEqual(["acceptInvite", "Hello from afar."]);
  const { url, headers } = await workflow();
  expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:8000\/websocket\?conversation_id=/u);
  expect(headers).toMatchObject({ authorization: "Bearer k" });
});

test.each([
  ["@unavailable the workflow cannot be reached", "unreachable"],
  ["@unavailable the workflow cannot be reached", "timeout"],
  ["@unavailable the workflow is temporarily unavailable", "refused-upgrade", 503],
  ["@error the workflow does not accept my credential", "refused-upgrade", 401],
  ["@error the workflow does not accept my credential", "refused-upgrade", 403],
  ["@error there is no workflow at this address: the server answered 404", "refused-upgrade", 404],
  ["@error the workflow cannot be reached", "refused-address"],
] as const)("an invite is declined with %s when the socket is %s", async (reason, code, status?: number) => {
  const { invite, refuse, errors } = nemoFixture({ headers: { authorization: "Bearer k" } });
  refuse(new DialError("ws://127.0.0.1:8000", code, "no", status === undefined ? {} : { status }));
  expect(summaryOf(await invite())).toEqual([`declineInvite ${reason}`]);
  expect(errors).toMatchObject([{ code: "unreachable" }]);
});

test("without a credential the reason says that one is required", async () => {
  const { invite, refuse } = nemoFixture();
  refuse(new DialError("ws://127.0.0.1:8000", "refused-upgrade", "no", { status: 403 }));
  expect(summaryOf(await invite())).toEqual(["declineInvite @error the workflow requires a credential"]);
});

test("the manifest has the configured values", () => {
  const { agent } = nemoFixture({ synopsis: "Books flights.", keyphrases: ["flights"], languages: ["en"] });
  expect(agent.manifest).toMatchObject({
    identification: { conversationalName: "Flow", synopsis: "Books flights." },
    capabilities: [{ keyphrases: ["flights", "workflow", "Flow"], languages: ["en"] }],
  });
});

test("the request has the trace of the turn, if the floor sends one", async () => {
  const { say, flow } = await arrived();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const answer = say("hello", { traceparent });
  expect(await flow.take()).toMatchObject({ openFloor: { conversationId: "c1", traceparent } });
  flow.complete();
  await answer;
});

test("an answer is one utterance with its steps; the workflow gets the history by roles", async () => {
  const { say, flow } = await arrived({ sharedSession: true });
  const first = say("hello");
  expect(await flow.take()).toMatchObject({
    schema_type: "chat_stream",
    user: { name: "Ann" },
    openFloor: { conversationId: "c1", sender: ann.speakerUri },
  });
  flow.step("s1");
  flow.delta("Good ");
  flow.delta("day");
  flow.complete();
  flow.trace();
  const [answer] = await first;
  expect(summaryOf(answer ? [answer] : [])).toEqual(["Good day"]);
  expect(featureIn(answer, "steps")).toEqual({ steps: [{ id: "s1", name: "Tool s1", payload: "1" }], trace: "t1" });
  const second = say("and you?", { from: bob });
  expect(wordsIn(await flow.take())).toEqual(["user: Ann: hello", "assistant: Good day", "user: Bob: and you?"]);
  flow.complete();
  expect(await second).toEqual([]);
});

test("a whisper reaches neither a public answer nor the workflow's public conversation", async () => {
  const { say, whisper, flow } = await arrived();
  const secret = whisper("the code is 1234");
  const whispered = await flow.take();
  flow.delta("psst");
  flow.complete();
  expect(summaryOf(await secret)).toEqual(["(Ann) psst"]);
  const open = say("what is new?");
  const said = await flow.take();
  expect(wordsIn(said)).toEqual(["user: Ann: what is new?"]);
  expect(said.conversation_id).not.toBe(whispered.conversation_id);
  flow.complete();
  await open;
});

test("utterances to others are recorded and not answered, unless the policy is open", async () => {
  const addressed = await arrived();
  expect(await addressed.say("hello all", { to: "all" })).toEqual([]);
  const open = await arrived({ policy: "open" });
  const answer = open.say("hello all", { to: "all" });
  await open.flow.take();
  open.flow.delta("hello");
  open.flow.complete();
  expect(summaryOf(await answer)).toEqual(["hello"]);
});

test.each([
  ["names", { steps: [{ id: "s1", name: "Tool s1", payload: "" }], trace: "t1" }],
  ["off", undefined],
] as const)("of the steps %s are shown", async (steps, shown) => {
  const { say, flow } = await arrived({ steps });
  const answer = say("hello");
  await flow.take();
  flow.step("s1");
  flow.delta("yes");
  flow.complete();
  flow.trace();
  expect(featureIn((await answer)[0], "steps")).toEqual(shown);
});

test("endless steps are cut, with names as long as there is room", async () => {
  const { say, flow } = await arrived();
  const answer = say("hello");
  await flow.take();
  for (let count = 0; count < 150; count += 1) flow.step(`s${count}`, "x".repeat(2_000));
  flow.delta("yes");
  flow.complete();
  flow.trace();
  const [event] = await answer;
  const { steps, trace } = featureIn(event, "steps") as { steps: { payload: string }[]; trace: string };
  expect(JSON.stringify(steps).length).toBeLessThanOrEqual(33_000);
  expect(steps.length).toBe(100);
  expect([steps[0]?.payload.length, steps.at(-1)?.payload, trace]).toEqual([2_000, "", "t1"]);
});

test("an error goes to the asker alone, and three in a row make the agent leave", async () => {
  const { say, flow, errors } = await arrived();
  for (const last of [[], [], ["bye @error the workflow failed three times in a row"]]) {
    const answer = say("hello");
    await flow.take();
    flow.fail("boom");
    flow.complete();
    const events = await answer;
    expect(summaryOf(events)).toEqual(["(Ann) Sorry, my workflow failed: ValueError: boom", ...last]);
    expect(featureIn(events[0], "error")).toEqual({ code: "workflow_error", message: "ValueError", details: "boom" });
  }
  expect(flow.state.isOpen).toBe(false);
  expect(errors).toHaveLength(3);
});

test("a successful turn resets the count of failures", async () => {
  const { say, flow } = await arrived();
  for (const isGood of [false, false, true, false, false]) {
    const answer = say("hello");
    await flow.take();
    if (isGood) flow.delta("fine");
    else flow.fail();
    flow.complete();
    expect((await answer).map(({ eventType }) => eventType)).toEqual(["utterance"]);
  }
});

test("text before a lost connection is kept and marked as interrupted", async () => {
  const { say, flow, refuse } = await arrived();
  const answer = say("hello");
  await flow.take();
  flow.delta("The answer is");
  refuse(new DialError("ws://127.0.0.1:8000", "unreachable", "no"));
  flow.drop();
  expect(summaryOf(await answer)).toEqual(["The answer is … (interrupted: the connection to my workflow was lost)"]);
});

test("a notification is whispered to the asker beside the answer", async () => {
  const { say, flow } = await arrived();
  const answer = say("hello");
  await flow.take();
  flow.prompt({ input_type: "notification", text: "Half done." });
  flow.delta("Done.");
  flow.complete();
  expect(summaryOf(await answer)).toEqual(["Done.", "(Ann) Half done."]);
});

test("endless notifications are cut, and the answer is complete", async () => {
  const { say, flow } = await arrived();
  const answer = say("hello");
  await flow.take();
  for (let count = 0; count < 500; count += 1) flow.prompt({ input_type: "notification", text: `Note ${count}.` });
  flow.delta("Done.");
  flow.complete();
  const said = summaryOf(await answer);
  expect([said[0], said.length]).toEqual(["Done.", 21]);
});

test("an endless answer is cut, and the workflow is stopped", async () => {
  const { say, flow } = await arrived();
  const answer = say("hello");
  await flow.take();
  for (let count = 0; count < 11; count += 1) flow.delta("x".repeat(10_000));
  expect(summaryOf(await answer)).toEqual([expect.stringMatching(/x … \(cut: the answer is too long\)$/u)]);
  expect(flow.state.isOpen).toBe(false);
});

test("aborting the answer closes the socket, and the next turn is another conversation", async () => {
  const { say, flow, workflow } = await arrived();
  const cut = new AbortController();
  const answer = say("hello", { signal: cut.signal });
  const { conversation_id: first } = await flow.take();
  cut.abort();
  await answer.catch(() => {});
  expect(flow.state.isOpen).toBe(false);
  const next = say("again");
  const other = await workflow();
  expect((await other.take()).conversation_id).not.toBe(first);
  other.complete();
  await next;
});

test("a repeated delivery after an aborted answer runs the workflow again", async () => {
  const { say, flow, workflow } = await arrived();
  const cut = new AbortController();
  const same = { id: "de:same", webhookId: "w1" };
  const lost = say("hello", { ...same, signal: cut.signal });
  await flow.take();
  flow.delta("word1 word2 ");
  await new Promise(setImmediate);
  cut.abort();
  await lost.catch(() => {});
  const again = say("hello", same);
  const other = await workflow();
  expect(wordsIn(await other.take())).toEqual(["user: Ann: hello"]);
  other.delta("word1 word2 word3");
  other.complete();
  expect(summaryOf(await again)).toEqual(["word1 word2 word3"]);
});

test.each(["revokeFloor", "uninvite"] as const)("%s stops the workflow", async (eventType) => {
  const { say, deliver, flow } = await arrived();
  const answer = say("hello");
  await flow.take();
  flow.delta("I think");
  await deliver([{ eventType, to: { speakerUri: "tag:flow.example,2025:1" } }]);
  expect(await answer).toEqual([]);
  expect(flow.state.isOpen).toBe(false);
});

test("closing the agent closes all sockets", async () => {
  const { agent, flow } = await arrived();
  agent.close();
  expect(flow.state.isOpen).toBe(false);
});
