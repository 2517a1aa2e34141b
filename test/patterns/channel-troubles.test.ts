import { declineInvite } from "@plenary/protocol";
import { type Agent, createAgent, createChannel } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, said, utterance, textOf as wordsOf } from "../support/envelopes.ts";
import { answer, type Behaviour, echo, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { patience } from "../support/wait-for.ts";
import { channel } from "./channels.ts";
import { closeFloorsAndAgents, manifestOf, serve, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

const shy = () =>
  serve(
    createAgent({
      manifest: manifestOf("shy"),
      onInvite: () => declineInvite({ reason: "@outOfDomain: no" }),
      onUtterance: () => "",
    }),
  );

const troubles: [string, () => Promise<string>, string][] = [
  ["declines", shy, "@outOfDomain: no"],
  ["cannot be reached", async () => "http://127.0.0.1:9/", "@unavailable"],
  ["answers with garbage", async () => (await startAgent(() => ({ body: "<html>" }))).url, "@error"],
];

test.each(troubles)("a target that %s makes the channel decline", async (_name, target, reason) => {
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel(await target()));
  const declined = (await floor.log(id)).find(({ event }) => event?.eventType === "declineInvite");
  expect(declined?.event).toMatchObject({ to: { speakerUri: ann }, reason });
});

test("when the target fails, is too slow or sends nonsense, the channel reports it in its own name and continues", async () => {
  const troubled: Behaviour = (heard, agent) => {
    const [text] = textsIn(heard);
    if (text === "slow") return undefined;
    if (text === "nonsense") return { body: "{}" };
    if (text === "fail") return { status: 503, body: "" };
    return echo(heard, agent);
  };
  const floor = await startSdkAgentsFloor();
  const target = await startAgent(troubled, speakerOf("troubled"));
  const errors: unknown[] = [];
  const apology = "No answer.";
  const onError = (error: unknown) => errors.push(error);
  const id = await floor.open("c", await channel(target.url, { targetTimeoutMs: 300, apology, onError }));
  for (const text of ["nonsense", "slow", "fail"]) {
    expect(said(await floor.say(id, text))).toEqual([[speakerOf("channel"), apology]]);
  }
  expect(said(await floor.say(id, "hello"))).toEqual([[speakerOf("channel"), "echo hello"]]);
  expect(await floor.transcript(id)).toEqual(
    expect.arrayContaining(["channel: No answer.", "channel for troubled: echo hello"]),
  );
  expect(errors).toHaveLength(3);
});

test("the final utterance of a target that streams arrives", async () => {
  const streaming: Behaviour = (heard, agent) => {
    const [text] = textsIn(heard);
    if (text === undefined) return answer(heard, agent);
    const { body } = answer(heard, agent, utterance(agent.speakerUri, `whole ${text}`));
    const body2 = `event: start\ndata: {"dialogEventId":"1"}\n\nevent: delta\ndata: {"dialogEventId":"1","delta":"who"}\n\nevent: envelope\ndata: ${body}\n\n`;
    return { type: "text/event-stream", body: body2 };
  };
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel((await startAgent(streaming)).url));
  expect(said(await floor.say(id, "answer"))).toEqual([[speakerOf("channel"), "whole answer"]]);
});

test("a target that speaks OVON 0.9 is channeled in it", async () => {
  const old: Behaviour = (heard) => {
    if (heard.body.ovon === undefined) return { status: 400, body: "{}" };
    const { conversation } = heard.body.ovon as { conversation: object };
    const features = { text: { mimeType: "text/plain", tokens: [{ value: `old ${textsIn(heard).join()}` }] } };
    const dialogEvent = { speakerId: "old", span: { startTime: "2026-01-01T00:00:00Z" }, features };
    const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
    return {
      body: JSON.stringify({
        ovon: { schema: { version: "0.9.3" }, conversation, sender: { from: "https://old.example" }, events },
      }),
    };
  };
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel((await startAgent(old)).url));
  expect(said(await floor.say(id, "words"))).toEqual([[speakerOf("channel"), "old words"]]);
});

test("channels that lead to each other end at once, without an utterance", async () => {
  const floor = await startSdkAgentsFloor();
  const manifest = manifestOf("first");
  const circle: { first?: Agent } = {};
  let asked = 0;
  const fetch: Agent["fetch"] = async (request, at) => {
    asked += 1;
    return circle.first?.fetch(request, at) ?? new Response(null, { status: 503 });
  };
  const firstUrl = await serve({ manifest, fetch });
  const serviceUrl = await channel(firstUrl, {}, "second");
  circle.first = createChannel({ manifest, target: { serviceUrl }, onError: () => {} });
  const id = await floor.open("c", firstUrl);
  const declined = (await floor.log(id)).find(({ event }) => event?.eventType === "declineInvite");
  expect(declined?.event?.reason).toContain("@refused");
  expect(asked).toBe(2);
});

test.each([
  ["under its own name", speakerOf("liar"), "channel for liar: I, Ann, agree"],
  ["under that very name", ann, "channel: I, Ann, agree"],
])("a target that signs %s cannot speak for a conversant of the floor", async (_, signed, notice) => {
  const liar: Behaviour = (heard, agent) =>
    answer(heard, agent, ...textsIn(heard).map(() => utterance(ann, "I, Ann, agree")));
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel((await startAgent(liar, signed)).url));
  await floor.say(id, "hello");
  expect((await floor.transcript(id)).at(-1)).toBe(notice);
});

test("over the limit the conversation that was idle for longest ends, and begins anew when it continues", async () => {
  const floor = await startSdkAgentsFloor();
  const target = await startAgent(echo, speakerOf("target"));
  const url = await channel(target.url, { conversationsMax: 1 });
  await floor.open("a", url);
  await floor.open("b", url);
  const uninvited = () => target.heard.flatMap(eventsIn).filter(({ eventType }) => eventType === "uninvite");
  await expect.poll(() => uninvited().length, patience).toBe(1);
  expect(said(await floor.say("b", "still here"))).toEqual([[speakerOf("channel"), "echo still here"]]);
  const again = await floor.say("a", "and here");
  expect(again.body.consequences?.flatMap(({ openFloor }) => openFloor.events.map(wordsOf))).toEqual(["echo and here"]);
});

test("a whisper in the envelope of an invite is as private as any other", async () => {
  const talkative: Behaviour = (heard, agent) => {
    const reason = `@refused: I will not do ${textsIn(heard).join()}`;
    return answer(heard, agent, { eventType: "declineInvite", reason });
  };
  const target = await startAgent(talkative);
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c");
  const serviceUrl = await channel(target.url);
  const whisper = utterance(ann, "canary", { to: { serviceUrl, private: true } });
  await floor.send(id, [{ eventType: "invite", to: { serviceUrl } }, whisper]);
  const declined = (await floor.log(id)).find(({ event }) => event?.eventType === "declineInvite");
  expect(declined?.event?.reason).toBe("@refused");
  expect(target.heard.map(({ text }) => text).join()).toContain("canary");
});

test("a channel that is invited again continues the conversation with its target", async () => {
  const target = await startAgent(echo, speakerOf("target"));
  const floor = await startSdkAgentsFloor();
  const url = await channel(target.url);
  const id = await floor.open("c", url, url);
  await floor.say(id, "hello");
  const held = target.heard.map(({ body }) => (body.openFloor as { conversation: { id: string } }).conversation.id);
  expect(held.length).toBeGreaterThanOrEqual(3);
  expect(new Set(held).size).toBe(1);
});
