// Only its speaker and its addressee can read a whisper, on every route that reads a conversation.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const bob = "tag:people.example,2026:bob";

/** Answers each whisper with a whisper. */
const confidant: Behaviour = (heard, me) => {
  const { sender } = heard.body.openFloor as { sender: { speakerUri: string } };
  const secrets = eventsIn(heard).filter(({ to }) => to?.private === true);
  const to = { speakerUri: sender.speakerUri, private: true };
  return answer(heard, me, ...secrets.map(() => utterance(me.speakerUri, "CANARY-ANSWER", { to })));
};

async function openConversation() {
  const [trusted, other] = [await startAgent(confidant), await startAgent(confidant)];
  await floor.invite("c", trusted);
  await floor.invite("c", other);
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: bob } });
  const whisper = utterance(ann, "CANARY-QUESTION", { to: { speakerUri: trusted.speakerUri, private: true } });
  const answered = await floor.send("c", [whisper]);
  return { trusted, other, answered };
}

test("a whisper and its answer reach their two parties", async () => {
  const { trusted, answered } = await openConversation();
  expect(said(answered)).toEqual([[trusted.speakerUri, "CANARY-ANSWER"]]);
  expect(trusted.heard.flatMap(textsIn)).toContain("CANARY-QUESTION");
  expect(JSON.stringify(await floor.log("c", ann))).toContain("CANARY-ANSWER");
  expect(JSON.stringify(await floor.log("c", trusted.speakerUri))).toContain("CANARY-QUESTION");
});

test("no other reader finds the whisper anywhere", async () => {
  const { other } = await openConversation();
  await floor.say("c", "something public");
  const sinks = {
    inbox: other.heard,
    log: await floor.log("c"),
    logOfBob: await floor.log("c", bob),
    logOfOther: await floor.log("c", other.speakerUri),
    logOfNobody: await floor.log("c", "tag:nobody.example,2026:x"),
    state: await floor.state("c"),
    list: (await floor.call("GET", "/api/v1/conversations")).body,
    agents: (await floor.call("GET", "/api/v1/agents")).body,
    page: (await floor.call("GET", "/")).body,
    consequencesForBob: (await floor.say("c", "what was said?", { as: bob })).body,
  };
  for (const [name, sink] of Object.entries(sinks)) expect(JSON.stringify(sink), name).not.toContain("CANARY");
  const past = await Promise.all(sinks.log.map(({ seq }) => floor.state("c", seq)));
  expect(JSON.stringify(past)).not.toContain("CANARY");
});

test("hidden entries are counted, so that no log has gaps", async () => {
  const { other } = await openConversation();
  for (const speaker of [undefined, ann, bob, other.speakerUri, "tag:nobody.example,2026:x"]) {
    const entries = await floor.log("c", speaker);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    for (const { kind, seq, whisper, ...rest } of entries) {
      if (kind !== "hidden") continue;
      expect(rest).toEqual({});
      // The operator sees that there was a whisper.
      if (speaker !== undefined) expect(whisper, `${speaker} at ${seq}`).toBeUndefined();
    }
  }
});

test("D16: the history of an invite has only whispers of the invitee, and only the invitee gets it", async () => {
  const { other } = await openConversation();
  await floor.say("c", "said to all");
  const entries = await floor.log("c", ann);
  const history = entries.flatMap(({ kind, event }) =>
    kind === "event" && event?.eventType === "utterance" ? [event.parameters?.dialogEvent] : [],
  );
  expect(JSON.stringify(history)).toContain("CANARY");
  const newcomer = await startAgent(confidant);
  await floor.send("c", [
    { eventType: "invite", to: { serviceUrl: newcomer.url }, parameters: { dialogHistory: history } },
  ]);
  const inbox = JSON.stringify(newcomer.heard);
  expect(inbox).toContain("said to all");
  expect(inbox).not.toContain("CANARY");
  for (const sink of [other.heard.slice(-1), await floor.log("c", bob), await floor.log("c")]) {
    expect(JSON.stringify(sink)).not.toContain("dialogHistory");
  }
});

test("a whisper to an absent speaker is refused, and nothing is written", async () => {
  await floor.say("c", "hello");
  const before = await floor.log("c");
  const lost = await floor.send("c", [
    utterance(ann, "CANARY", { to: { speakerUri: "tag:nobody.example,2026:x", private: true } }),
  ]);
  expect(lost.status).toBe(422);
  expect(lost.headers.get("content-type")).toBe("application/problem+json");
  expect(lost.body).toMatchObject({ because: "1.8/private-addressee", pointer: "/openFloor/events/0" });
  expect(lost.body.fix).toContain("GET /api/v1/conversations/ID lists them");
  expect(JSON.stringify(lost.body)).not.toContain("CANARY");
  expect(await floor.log("c")).toEqual(before);
});
