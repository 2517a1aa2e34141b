// Agents of other authors, as they behave.
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventTypes, type Json, said, textOf, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, echo, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { hasty, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const seats = async (conversation: string) =>
  (await floor.state(conversation)).conversants.map(({ identification, state }) => [identification.speakerUri, state]);

test("an agent that never sends acceptInvite joins by answering", async () => {
  const agent = await startAgent(echo);
  await floor.invite("c", agent);
  expect(await seats("c")).toContainEqual([agent.speakerUri, "joined"]);
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "echo hello"]]);
});

test("an agent that answers with no events joins", async () => {
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  expect(await seats("c")).toContainEqual([agent.speakerUri, "joined"]);
  expect(said(await floor.say("c", "hello"))).toEqual([]);
});

test("an agent that answers everything with an utterance is accepted, but not when it is asked for its manifest", async () => {
  const agent = await startAgent((heard, me) =>
    answer(heard, me, utterance(me.speakerUri, `about ${eventsIn(heard)[0]?.eventType}`)),
  );
  const invited = await floor.invite("c", agent);
  expect(said(invited)).toEqual([[agent.speakerUri, "about invite"]]);
  await expect
    .poll(() => agent.heard.flatMap(eventsIn).map(({ eventType }) => eventType), patience)
    .toContain("getManifests");
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "about utterance"]]);
  const entries = await floor.log("c");
  expect(entries.map(({ event }) => textOf(event))).not.toContain("about getManifests");
});

test("an invite and its utterance reach the agent in one envelope", async () => {
  const agent = await startAgent(echo);
  const answered = await floor.send("c", [
    { eventType: "invite", to: { serviceUrl: agent.url } },
    utterance("tag:people.example,2026:ann", "hello"),
  ]);
  expect(said(answered)).toEqual([[agent.speakerUri, "echo hello"]]);
  expect(eventsIn(agent.heard[0] ?? fail()).map(({ eventType }) => eventType)).toEqual(["invite", "utterance"]);
});

function fail(): never {
  throw new Error("nothing was heard");
}

test("an invite without an answer in time is declined for the agent, and the request ends", async () => {
  await floor.close();
  floor = await startTestFloor({ deliveryLimits: hasty });
  const agent = await startAgent(() => undefined);
  const answered = await floor.invite("c", agent);
  expect(eventTypes(answered)).toEqual(["declineInvite"]);
  expect(JSON.stringify(answered.body.consequences)).toContain("@unavailable");
  expect(await seats("c")).toHaveLength(1);
});

test("an agent that is slow keeps its seat until its third missed deadline in a row", async () => {
  await floor.close();
  floor = await startTestFloor({ deliveryLimits: hasty });
  let isSlow = false;
  const agent = await startAgent((heard, me) => (isSlow ? undefined : answer(heard, me)));
  await floor.invite("c", agent);
  isSlow = true;
  await floor.say("c", "one");
  await floor.say("c", "two");
  expect(await seats("c")).toContainEqual([agent.speakerUri, "joined"]);
  const third = await floor.say("c", "three");
  expect(eventTypes(third)).toEqual(["uninvite"]);
  expect(JSON.stringify(third.body.consequences)).toContain("@timedOut");
});

test("a dead address is declined as unavailable", async () => {
  const agent = await startAgent(silent);
  await agent.close();
  await floor.invite("c", agent);
  const entries = await floor.until("c", (all) => all.some(({ event }) => event?.eventType === "declineInvite"));
  expect(entries.find(({ event }) => event?.eventType === "declineInvite")?.event?.reason).toContain("@unavailable");
  expect(floor.dialler.dialled.filter((url) => url === agent.url).length).toBeGreaterThan(1);
});

test("a web page is not accepted as an agent", async () => {
  const agent = await startAgent(() => ({ type: "text/html", body: "<!doctype html><title>Shop</title>" }));
  const answered = await floor.invite("c", agent);
  expect(JSON.stringify(answered.body.consequences)).toContain("@error");
  expect(await seats("c")).toHaveLength(1);
});

test("JSON labelled text/html is an answer", async () => {
  const agent = await startAgent((heard, me) => ({
    ...answer(heard, me, utterance(me.speakerUri, "hi")),
    type: "text/html",
  }));
  expect(said(await floor.invite("c", agent))).toEqual([[agent.speakerUri, "hi"]]);
});

test("an agent may answer under another speakerUri than it was invited by", async () => {
  const agent = await startAgent(echo);
  await floor.send("c", [
    { eventType: "invite", to: { serviceUrl: agent.url, speakerUri: "tag:agents.example,2026:wished" } },
  ]);
  expect(await seats("c")).toContainEqual([agent.speakerUri, "joined"]);
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "echo hello"]]);
});

test("an agent cannot answer as another conversant", async () => {
  const agent = await startAgent((heard, me) => answer(heard, { ...me, speakerUri: "tag:people.example,2026:ann" }));
  const answered = await floor.invite("c", agent);
  expect(JSON.stringify(answered.body.consequences)).toContain("@error");
  expect(await seats("c")).toHaveLength(1);
});

/** Reads `ovon` and nothing else. */
const ovonEcho: Behaviour = (heard, me) => {
  if (heard.body.ovon === undefined) return { status: 400, body: '{"error":"ovon expected"}' };
  const { conversation } = heard.body.ovon as { conversation: { id: string; persistentState?: Json } };
  const visits = Number((conversation.persistentState as { visits?: number } | undefined)?.visits ?? 0) + 1;
  const events = textsIn(heard).map((text) => ({
    eventType: "utterance",
    parameters: {
      dialogEvent: {
        speakerId: "parrot",
        span: { startTime: "2026-01-01T00:00:00Z" },
        features: { text: { mimeType: "text/plain", tokens: [{ value: `${text}, visit ${visits}` }] } },
      },
    },
  }));
  const ovon = {
    schema: { version: "0.9.3" },
    conversation: { id: conversation.id, persistentState: { visits } },
    sender: { from: me.url },
    events,
  };
  return { body: JSON.stringify({ ovon }) };
};

test("an agent of 0.9.3 is detected, gets its dialect, and gets its persistent state back", async () => {
  const agent = await startAgent(ovonEcho);
  await floor.invite("c", agent);
  expect(agent.heard.map(({ body }) => Object.keys(body)[0]).slice(0, 3)).toEqual(["openFloor", "openFloor", "ovon"]);
  const first = said(await floor.say("c", "hello"));
  expect(first.map(([, text]) => text)).toEqual(["hello, visit 2"]);
  expect(said(await floor.say("c", "again")).map(([, text]) => text)).toEqual(["again, visit 3"]);
  expect(agent.heard.filter(({ body }) => body.ovon === undefined)).toHaveLength(2);
});

test("an agent of 1.0.0 that rejects fields of 1.1.0 is detected and answers", async () => {
  const strict: Behaviour = (heard, me) => {
    const openFloor = heard.body.openFloor as { schema: { version: string }; conversation: Json } | undefined;
    const isNew = ["assignedFloorRoles", "floorGranted"].some((field) => openFloor?.conversation[field] !== undefined);
    if (openFloor?.schema.version !== "1.0.0" || isNew) return { status: 422, body: '{"detail":"extra fields"}' };
    const reply = echo(heard, me) as { body: string };
    return { body: reply.body.replace("1.1.0", "1.0.0") };
  };
  const agent = await startAgent(strict);
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "echo hello"]]);
  expect(agent.heard.filter(({ text }) => text.includes('"1.1.0"'))).toHaveLength(1);
});

test("an agent that uses one id for all utterances is accepted each time the text differs", async () => {
  const agent = await startAgent((heard, me) =>
    answer(
      heard,
      me,
      ...textsIn(heard).map((text) => utterance(me.speakerUri, `re: ${text}`, { id: "always-the-same" })),
    ),
  );
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "one"))).toEqual([[agent.speakerUri, "re: one"]]);
  expect(said(await floor.say("c", "two"))).toEqual([[agent.speakerUri, "re: two"]]);
});

test("an agent whose answer is larger than allowed does not join", async () => {
  const agent = await startAgent((heard, me) => answer(heard, me, utterance(me.speakerUri, "x".repeat(1_100_000))));
  const answered = await floor.invite("c", agent);
  expect(JSON.stringify(answered.body.consequences)).toContain("@error");
});

test("an answer with one bad event loses only that event", async () => {
  const agent = await startAgent((heard, me) =>
    answer(heard, me, ...textsIn(heard).flatMap((text) => [{ eventType: "sing" }, utterance(me.speakerUri, text)])),
  );
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "hello"]]);
});

test("an agent may accept a delivery and answer it later by a POST of its own", async () => {
  const agent = await startAgent((heard, me) =>
    textsIn(heard).length > 0 ? { status: 202, body: "" } : answer(heard, me),
  );
  await floor.invite("c", agent);
  const waiting = floor.say("c", "think about it");
  await expect.poll(() => agent.heard.at(-1)?.text, patience).toContain("think about it");
  const inReplyTo = String(agent.heard.at(-1)?.headers["webhook-id"]);
  const late = (text: string, header: string) => {
    const sender = { speakerUri: agent.speakerUri };
    const openFloor = {
      schema: { version: "1.1.0" },
      conversation: { id: "c" },
      sender,
      events: [utterance(sender.speakerUri, text)],
    };
    return fetch(`${floor.url}/openfloor`, {
      method: "POST",
      headers: { "content-type": "application/json", "in-reply-to": header },
      body: JSON.stringify({ openFloor }),
    });
  };
  for (const guess of [inReplyTo.slice(1), inReplyTo.replace(/^.*:/u, ""), ""]) {
    expect((await late("a guess", guess)).status).toBe(401);
  }
  expect((await late("forty-two", inReplyTo)).status).toBe(200);
  expect(said(await waiting)).toEqual([[agent.speakerUri, "forty-two"]]);
  expect(await (await late("forty-three", inReplyTo)).json()).toMatchObject({ refused: [{ because: "answer/late" }] });
});
