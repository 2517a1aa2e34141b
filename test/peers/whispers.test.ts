// How agents that do not know private utterances answer them, and what the floor does with these answers.
import { textUtterance } from "@plenary/protocol";
import { connect, createAgent } from "@plenary/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, textOf, utterance } from "../support/envelopes.ts";
import { type Agent, answer, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import {
  startRepeatsWhispersAloud,
  startRepeatsWhispersAloudInPieces,
  startRepeatsWhispersAloudLater,
} from "./repeats-whispers-aloud.ts";

const bob = "tag:people.example,2026:bob";
const rule = "guard/whisper-answer";

let floor: TestFloor;
let other: Agent;

beforeEach(async () => {
  floor = await startTestFloor();
  other = await startAgent(silent);
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function seatAll(agent: Agent, options: object = {}): Promise<void> {
  const owner = { identification: { speakerUri: ann } };
  const { status } = await floor.call("POST", "/api/v1/conversations", { id: "c", owner, ...options });
  expect(status).toBe(201);
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: bob } });
  await floor.invite("c", agent);
  await floor.invite("c", other);
}

const whisperTo = ({ speakerUri }: Agent, text = "CANARY") =>
  utterance(ann, text, { to: { speakerUri, private: true } });

/** The event in a form that some peers write, with keys of the event among its parameters. */
function withParameters(event: { parameters?: object }, more: object): object {
  return { ...event, parameters: { ...event.parameters, ...more } };
}

/** All output for readers other than the two parties. */
async function readByOthers(): Promise<string> {
  const logs = [await floor.log("c"), await floor.log("c", bob), await floor.log("c", other.speakerUri)];
  return JSON.stringify([logs, other.heard, await floor.state("c"), (await floor.call("GET", "/api/v1/agents")).body]);
}

const answerEntry = async (agent: Agent) =>
  (await floor.log("c", ann)).find(
    ({ sender, event }) => sender === agent.speakerUri && event?.eventType === "utterance",
  );

test("the public answer to a whisper becomes private to the whisperer, under a rule id of its own", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent);
  const answered = await floor.send("c", [whisperTo(agent)]);
  expect(said(answered)).toEqual([[agent.speakerUri, "You said: CANARY"]]);
  expect(await answerEntry(agent)).toMatchObject({
    because: rule,
    event: { to: { speakerUri: ann, private: true } },
  });
  expect(await readByOthers()).not.toContain("CANARY");
});

test("an answer to another addressee becomes private to the whisperer as well", async () => {
  const agent = await startRepeatsWhispersAloud({ to: { speakerUri: bob } });
  await seatAll(agent);
  await floor.send("c", [whisperTo(agent)]);
  expect((await answerEntry(agent))?.event?.to).toEqual({ speakerUri: ann, private: true });
  expect(await readByOthers()).not.toContain("CANARY");
});

test("a delivery with a whisper and a public utterance is answered in private", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent);
  await floor.send("c", [utterance(ann, "for all"), whisperTo(agent)]);
  expect(agent.heard.map((heard) => textsIn(heard))).toContainEqual(["for all", "CANARY"]);
  expect(await readByOthers()).not.toContain("CANARY");
  // A later public utterance is answered in public.
  await floor.say("c", "and now?");
  await floor.until("c", (entries) => entries.some(({ event }) => textOf(event) === "You said: and now?"));
});

test("a late answer that names the delivery is private, too", async () => {
  const agent = await startRepeatsWhispersAloudLater(floor.url);
  await seatAll(agent);
  await floor.send("c", [whisperTo(agent)]);
  await expect.poll(() => answerEntry(agent), { timeout: 60_000 }).toMatchObject({ because: rule });
  expect(await readByOthers()).not.toContain("CANARY");
});

/** An agent of the SDK whose handler builds a public answer itself. */
function createLoud(serviceUrl = "https://loud.example/") {
  const speakerUri = "tag:agents.example,2026:loud";
  const about = { organization: "Example", conversationalName: "Loud", synopsis: "repeats" };
  const manifest = { identification: { speakerUri, serviceUrl, ...about }, capabilities: [] };
  const startTime = "2026-01-01T00:00:00Z";
  return createAgent({
    manifest,
    greeting: false,
    onUtterance: ({ text }) => [textUtterance(`You said: ${text}`, { speakerUri, id: `loud ${text}`, startTime })],
  });
}

test("the public answer of a socket agent or of a hosted agent becomes private as well", async () => {
  const connection = await connect(createLoud(), { url: floor.url, token });
  const speakerUri = "tag:agents.example,2026:loud";
  await seatAll({ ...other, speakerUri, url: connection.serviceUrl });
  await floor.send("c", [whisperTo({ ...other, speakerUri })]);
  expect(await answerEntry({ ...other, speakerUri })).toMatchObject({ because: rule });
  expect(await readByOthers()).not.toContain("CANARY");
  await connection.close();
  await floor.close();
  floor = await startTestFloor({
    hostedAgents: { names: ["loud"], create: (_name, serviceUrl) => createLoud(serviceUrl) },
  });
  other = await startAgent(silent);
  await seatAll({ ...other, speakerUri, url: `${floor.url}/agents/loud` });
  await floor.send("c", [whisperTo({ ...other, speakerUri })]);
  expect(await answerEntry({ ...other, speakerUri })).toMatchObject({ because: rule });
  expect(await readByOthers()).not.toContain("CANARY");
});

test("the drafts of such an answer are sent to the whisperer only", async () => {
  const agent = await startRepeatsWhispersAloudInPieces();
  await seatAll(agent);
  const drafts = await draftsSeenBy([ann, bob]);
  await floor.send("c", [whisperTo(agent)]);
  await expect.poll(() => drafts.get(ann), { timeout: 60_000 }).toContain("You said: CANARY");
  await floor.say("c", "the end", { wait: 0 });
  await expect.poll(() => drafts.get(bob), { timeout: 60_000 }).toContain("the end");
  expect(drafts.get(bob)).not.toContain("CANARY");
});

test("the owner can have answers accepted as they are written", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent, { whisperAnswers: "asWritten" });
  await floor.send("c", [whisperTo(agent)]);
  expect(JSON.stringify(await floor.log("c", bob))).toContain("You said: CANARY");
  expect((await floor.state("c")).options).toMatchObject({ whisperAnswers: "asWritten" });
});

test("with the spec policy an answer is accepted as it is written", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent, { policy: "spec" });
  await floor.send("c", [whisperTo(agent)]);
  expect(JSON.stringify(await floor.log("c", bob))).toContain("You said: CANARY");
});

test("an agent that answers whispers publicly has this in its record, without the text", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent);
  await floor.send("c", [whisperTo(agent)]);
  await floor.send("c", [whisperTo(agent, "CANARY again")]);
  const { body } = await floor.call("GET", "/api/v1/agents");
  const known = (body.agents as { serviceUrl: string; quirks: object[] }[]).find(({ serviceUrl }) => {
    return serviceUrl === agent.url;
  });
  expect(known?.quirks).toMatchObject([{ rule: "answers-whispers-aloud", count: 2, isRepaired: true }]);
  expect(JSON.stringify(body)).not.toContain("CANARY");
});

test("an utterance with private beside to is never published, in an envelope and in an agent's answer", async () => {
  const agent = await startAgent((heard, me) => {
    const to = { speakerUri: ann };
    const words = textsIn(heard).map((text) => utterance(me.speakerUri, `CANARY ${text}`, { to, private: true }));
    return answer(heard, me, ...words);
  });
  await seatAll(agent);
  await floor.send("c", [utterance(ann, "CANARY", { to: { speakerUri: agent.speakerUri }, private: true })]);
  await floor.say("c", "for all");
  expect(agent.heard.flatMap(textsIn)).toEqual(["CANARY", "for all"]);
  expect(JSON.stringify(await floor.log("c", ann))).toContain("CANARY for all");
  expect(await readByOthers()).not.toContain("CANARY");
});

test("an utterance with private among its parameters is never published either", async () => {
  const agent = await startAgent((heard, me) => {
    const words = textsIn(heard).map((text) => utterance(me.speakerUri, `CANARY ${text}`, { to: { speakerUri: ann } }));
    return answer(heard, me, ...words.map((one) => withParameters(one, { private: true })));
  });
  await seatAll(agent);
  const { speakerUri } = agent;
  await floor.send("c", [withParameters(utterance(ann, "CANARY"), { to: { speakerUri }, private: true })]);
  await floor.say("c", "for all");
  expect(agent.heard.flatMap(textsIn)).toEqual(["CANARY", "for all"]);
  expect(JSON.stringify(await floor.log("c", ann))).toContain("CANARY for all");
  const forNobody = await floor.send("c", [withParameters(utterance(ann, "CANARY"), { private: true })]);
  expect(forNobody.status).toBe(400);
  expect(await readByOthers()).not.toContain("CANARY");
});

test("only the whisper to a conversant that has left is refused, and the rest of the envelope is accepted", async () => {
  const agent = await startRepeatsWhispersAloud();
  await seatAll(agent);
  await floor.send("c", [{ eventType: "uninvite", to: { speakerUri: agent.speakerUri } }]);
  const { status, body } = await floor.send("c", [whisperTo(agent), utterance(ann, "for all")]);
  expect(status).toBe(200);
  expect(body.refused).toMatchObject([{ index: 0, because: "1.8/private-addressee" }]);
  expect((await floor.log("c", ann)).filter(({ kind }) => kind === "refused")).toHaveLength(1);
  expect(other.heard.flatMap(textsIn)).toContain("for all");
  expect(await readByOthers()).not.toContain("CANARY");
  const alone = await floor.send("c", [whisperTo(agent)]);
  expect(alone.status).toBe(422);
});

/** What each of them gets on its stream: entries and drafts. */
async function draftsSeenBy(speakers: readonly string[]): Promise<Map<string, string>> {
  const seen = new Map(speakers.map((speaker) => [speaker, ""]));
  for (const speaker of speakers) {
    const query = `conversation=c&speaker=${encodeURIComponent(speaker)}`;
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const { body } = await fetch(`${floor.url}/openfloor/events?${query}`, { headers });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) return;
        seen.set(speaker, `${seen.get(speaker)}${piece.value}`);
      }
    };
    read().catch(() => {});
  }
  return seen;
}
