// What is posted to a person's own address: an utterance of a conversant of that conversation is accepted, an invite that no client
// can show is declined as unavailable, and everything else gets an answer that says where to send it (D25').
import { relayUrlOf } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, textOf, utterance } from "../support/envelopes.ts";
import { closeAgents } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";
import { type LateAgent, startLateAgent } from "./answers-late-to-the-person.ts";

const oracle = "tag:oracle.example,2026:oracle";
const far = "tag:far.example,2026:floor";
const bob = "tag:bob.example,2026:bob";

let floor: TestFloor;
let late: LateAgent;

beforeEach(async () => {
  floor = await startTestFloor();
  late = await startLateAgent(oracle);
});

afterEach(async () => {
  await floor.close();
  await closeAgents();
  expect(floor.errors).toEqual([]);
});

const words = async (conversation: string) =>
  (await floor.log(conversation, ann)).flatMap(({ kind, sender, event }) => {
    const text = kind === "event" ? textOf(event) : undefined;
    return text === undefined ? [] : [[sender, text, event?.to?.private === true]];
  });

async function asked(text = "what will be?", to?: object) {
  await floor.invite("c", late.agent);
  await floor.send("c", [utterance(ann, text, { ...(to && { to }) })]);
}

test("a late utterance that names the request it answers is the agent's own utterance in the conversation", async () => {
  await asked();
  const { status } = await late.answerLate("rain", { "in-reply-to": late.heardAs() });
  expect(status).toBe(200);
  expect(await words("c")).toContainEqual([oracle, "rain", false]);
});

test("a late answer to a whisper stays private", async () => {
  await asked("what will be?", { speakerUri: oracle, private: true });
  expect((await late.answerLate("rain", { "in-reply-to": late.heardAs() })).status).toBe(200);
  expect(await words("c")).toContainEqual([oracle, "rain", true]);
});

test("on a floor that only this machine reaches, an agent of this machine needs no proof", async () => {
  await asked();
  expect((await late.answerLate("rain")).status).toBe(200);
  expect(await words("c")).toContainEqual([oracle, "rain", false]);
});

test("a late answer to a whisper without a proof stays private", async () => {
  await asked("what will be?", { speakerUri: oracle, private: true });
  expect((await late.answerLate("rain")).status).toBe(200);
  expect(await words("c")).toContainEqual([oracle, "rain", true]);
});

test("a speaker without a seat cannot speak at a person's address", async () => {
  await asked();
  await floor.call("POST", "/api/v1/conversations/c/remove", { speakerUri: oracle });
  expect((await late.answerLate("rain")).status).toBe(403);
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

test("on a public floor a late utterance without a proof is refused, and the refusal says where and how to send it", async () => {
  await floor.close();
  floor = await startTestFloor({ proxies: 1 });
  late = await startLateAgent(oracle);
  await asked();
  const { status, body } = await late.answerLate("rain");
  expect(status).toBe(403);
  expect(JSON.parse(body).fix).toContain(`${floor.url}/openfloor`);
  expect(JSON.parse(body).fix).toContain("In-Reply-To");
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

test.each([
  ["a made-up name", () => "AAAA:d1.0"],
  ["the bare number of the delivery", () => late.heardAs().slice(late.heardAs().lastIndexOf(":") + 1)],
])("%s is not a proof", async (_what, inReplyTo) => {
  await asked();
  expect((await late.answerLate("rain", { "in-reply-to": inReplyTo() })).status).toBe(403);
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

test("the recipient of a delivery speaks for itself alone, and not after it has left or moved", async () => {
  await asked();
  const other = await startLateAgent("tag:other.example,2026:1");
  await floor.invite("c", other.agent);
  await floor.say("c", "and you?");
  const { status } = await late.answerLate("rain", { "in-reply-to": other.heardAs() });
  expect(status).toBe(403);
  const name = late.heardAs();
  await floor.call("POST", "/api/v1/conversations/c/rebind", {
    speakerUri: oracle,
    serviceUrl: "https://elsewhere.example/",
  });
  expect((await late.answerLate("rain", { "in-reply-to": name })).status).toBe(403);
  await floor.call("POST", "/api/v1/conversations/c/remove", { speakerUri: oracle });
  expect((await late.answerLate("rain", { "in-reply-to": name })).status).toBe(403);
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

test("a delivery from before an agent left proves nothing after the agent has joined again", async () => {
  await asked();
  const name = late.heardAs();
  await floor.call("POST", "/api/v1/conversations/c/remove", { speakerUri: oracle });
  await floor.invite("c", late.agent);
  expect((await late.answerLate("rain", { "in-reply-to": name })).status).toBe(403);
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

test("a program of this machine cannot claim to be an agent elsewhere, nor a person", async () => {
  await floor.say("c", "hello");
  for (const seat of [
    { kind: "agent", identification: { speakerUri: far, serviceUrl: "https://far.example/" } },
    { kind: "person", identification: { speakerUri: bob, serviceUrl: "http://127.0.0.1:9/" } },
  ]) {
    const { speakerUri } = seat.identification;
    expect((await floor.call("POST", "/api/v1/conversations/c/seat", seat)).status).toBe(200);
    expect((await postTo(annsAddress(), "c", { speakerUri }, utterance(speakerUri, "rain"))).status).toBe(403);
  }
  expect(JSON.stringify(await words("c"))).not.toContain("rain");
});

/** Another floor, which knows a person of this floor by its address and has no credential. */
async function fromAfar(conversation: string, ...events: object[]) {
  return postTo(annsAddress(), conversation, farFloor, ...events);
}

const annsAddress = () => relayUrlOf(`${floor.url}/openfloor`, ann);

const farFloor = { speakerUri: far, serviceUrl: "https://far.example/" };

async function postTo(serviceUrl: string, conversation: string, sender: object, ...events: object[]) {
  const response = await fetch(serviceUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender, events },
    }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

type Answer = { openFloor?: { events: object[] }; fix?: string };

const invite = { eventType: "invite", to: { speakerUri: ann } };
const hello = () => utterance(far, "hello from afar");

test("a person without a client that shows conversations of other floors declines as unavailable", async () => {
  await floor.say("here", "hello");
  const { status, body } = await fromAfar("far-away", invite);
  expect(status).toBe(200);
  expect(body.openFloor?.events).toMatchObject([
    { eventType: "declineInvite", to: { speakerUri: far }, reason: expect.stringMatching(/^@unavailable /u) },
  ]);
});

test("an invite reaches the person under each spelling of the address: a final slash, another name of loopback", async () => {
  await floor.say("here", "hello");
  const byName = annsAddress().replace("127.0.0.1", "localhost");
  for (const spelling of [annsAddress(), `${annsAddress()}/`, byName, `${byName}/`]) {
    const event = { eventType: "invite", to: { serviceUrl: spelling } };
    const { status, body } = await postTo(spelling, "far-away", farFloor, event);
    expect([spelling, status, body.openFloor?.events]).toMatchObject([spelling, 200, [{ eventType: "declineInvite" }]]);
  }
});

test("an envelope of another floor for a conversation without an invite here is refused with a hint", async () => {
  await floor.say("here", "hello");
  const { status, body } = await fromAfar("far-away", hello());
  expect(status).toBe(403);
  expect(body.fix).toContain("begins with an invite");
});

test("a client that follows all conversations of a person gets the invite and the events after it", async () => {
  await floor.say("here", "hello");
  const socketUrl = ({ speaker = "" }: Record<string, string | undefined>) =>
    `${floor.url.replace("http", "ws")}/openfloor/ws?speaker=${encodeURIComponent(speaker)}`;
  const client = await openSocket({ socketUrl }, { speaker: ann }, { authorization: `Bearer ${token}` });
  const { status, body } = await fromAfar("far-away", invite);
  expect([status, body.openFloor?.events]).toEqual([200, []]);
  expect((await fromAfar("far-away", hello())).status).toBe(200);
  await client.find((frame) => JSON.stringify(frame).includes("hello from afar"), "the greeting");
  await client.close();
  await fromAfar("far-away", { eventType: "uninvite", to: { speakerUri: ann } });
  expect((await fromAfar("far-away", hello())).status).toBe(403);
});

test("the responses do not reveal whether a conversation exists", async () => {
  await floor.say("here", "hello");
  for (const event of [invite, hello()]) {
    const [there, nowhere] = [await fromAfar("here", event), await fromAfar("none", event)];
    expect(there.status).toBe(nowhere.status);
    expect(JSON.stringify(there.body)).toBe(JSON.stringify(nowhere.body).replaceAll("none", "here"));
  }
});
