// D14': an answer that repeats the request does not count, and the next dialect is tried.
import { afterEach, beforeEach, expect, test } from "vitest";
import { said, utterance } from "../support/envelopes.ts";
import { answer, silent, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { copiesTheRequest } from "./copies-the-request.ts";
import { keepsTheSender } from "./keeps-the-sender.ts";
import { opensItsOwnConversation } from "./opens-its-own-conversation.ts";
import { returnsTheRequest } from "./returns-the-request.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

type Conversant = { identification: { serviceUrl: string }; state: string; dialect?: string };

async function seatOf(conversation: string, { url }: { url: string }): Promise<Conversant | undefined> {
  const { conversants } = await floor.state(conversation);
  return conversants.find(({ identification }) => identification.serviceUrl === url);
}

async function declined(conversation: string): Promise<string | undefined> {
  const entries = await floor.until(conversation, (all) =>
    all.some(({ event }) => event?.eventType === "declineInvite"),
  );
  return entries.find(({ event }) => event?.eventType === "declineInvite")?.event?.reason;
}

test("an agent that copies the request and adds a second root joins in the dialect it reads", async () => {
  const agent = await startAgent(copiesTheRequest);
  expect(said(await floor.invite("c", agent)).map(([, text]) => text)).toEqual(["Hello from 0.9"]);
  expect(await seatOf("c", agent)).toMatchObject({ state: "joined", dialect: "0.9" });
  expect(said(await floor.say("c", "hi")).map(([, text]) => text)).toEqual(["You said hi"]);
});

test("an agent that returns the request unchanged joins in the dialect it answers in", async () => {
  const agent = await startAgent(returnsTheRequest((root, version) => root === "openFloor" && version === "1.0.0"));
  expect(said(await floor.invite("c", agent)).map(([, text]) => text)).toEqual(["I am here"]);
  expect(await seatOf("c", agent)).toMatchObject({ state: "joined", dialect: "1.0" });
});

test("an agent that returns every request is declined, and the reason says so", async () => {
  const agent = await startAgent(returnsTheRequest(() => false));
  await floor.invite("c", agent);
  expect(await declined("c")).toBe("@error repeated the request instead of answering it");
  expect(agent.heard).toHaveLength(3);
});

test("an agent that keeps the sender of the request is declined, and the owner is not asked", async () => {
  const agent = await startAgent(keepsTheSender);
  await floor.invite("c", agent);
  expect(await declined("c")).toBe("@error answered under another speaker's name");
  expect((await floor.state("c")).moves ?? []).toEqual([]);
});

test("an agent that answers without events in a conversation of its own joins in the dialect in which it answers", async () => {
  const agent = await startAgent(opensItsOwnConversation());
  expect(said(await floor.invite("c", agent)).map(([, text]) => text)).toEqual(["Hello, I speak 0.9"]);
  expect(await seatOf("c", agent)).toMatchObject({ state: "joined", dialect: "0.9" });
  expect(said(await floor.say("c", "hi")).map(([, text]) => text)).toEqual(["Yes, hi"]);
});

test("an agent that names its own conversation in every dialect joins, and this is recorded as its quirk", async () => {
  const agent = await startAgent(opensItsOwnConversation({ understands0_9: false }));
  await floor.invite("c", agent);
  expect(await seatOf("c", agent)).toMatchObject({ state: "joined", dialect: "1.1" });
  expect(said(await floor.say("c", "hi")).map(([, text]) => text)).toEqual(["Yes, hi"]);
  await expect
    .poll(async () => {
      const { body } = await floor.call("GET", "/api/v1/agents");
      const agents = body.agents as { serviceUrl: string; quirks: { rule: string }[] }[];
      return agents.find(({ serviceUrl }) => serviceUrl === agent.url)?.quirks.map(({ rule }) => rule);
    }, patience)
    .toContain("answers-in-another-conversation");
});

test("an agent that repeats utterances of others under its own name is accepted", async () => {
  const agent = await startAgent((heard, self) => {
    const isSpoken = heard.text.includes('"utterance"');
    return isSpoken ? answer(heard, self, utterance(self.speakerUri, "hi")) : silent(heard, self);
  });
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "hi")).map(([, text]) => text)).toEqual(["hi"]);
});
