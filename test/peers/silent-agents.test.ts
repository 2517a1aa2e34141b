import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, eventsIn, type Heard, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { startSilentAgent } from "./silent-until-granted.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});

afterEach(() => floor.close());

const grantsIn = (heard: readonly Heard[]) =>
  heard.flatMap(eventsIn).filter(({ eventType }) => eventType === "grantFloor").length;

test("an agent that accepts without an utterance is granted the floor once, and answers from then on", async () => {
  const agent = await startSilentAgent();
  const bystander = await startAgent(silent);
  await floor.invite("c", bystander);
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "hello"))).toEqual([[agent.speakerUri, "granted: hello"]]);
  expect(said(await floor.say("c", "again"))).toEqual([[agent.speakerUri, "granted: again"]]);
  expect(grantsIn(agent.heard)).toBe(1);
  expect(grantsIn(bystander.heard)).toBe(0);
});

test("an agent that greets, or joins without acceptInvite, is sent no grant", async () => {
  const greeter = await startAgent((heard, me) => {
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    return answer(heard, me, ...(isInvited ? [{ eventType: "acceptInvite" }, utterance(me.speakerUri, "Hi!")] : []));
  });
  const quiet = await startAgent(silent);
  await floor.invite("c", greeter);
  await floor.invite("c", quiet);
  await floor.say("c", "hello");
  expect(grantsIn([...greeter.heard, ...quiet.heard])).toBe(0);
});

test("the floor grants nothing by itself where a convener decides about the floor", async () => {
  const convener = await startAgent((heard, me) => {
    const passed = heard.headers["plenary-delegated"] === "1" ? eventsIn(heard) : [];
    return answer(heard, me, ...passed);
  });
  const owner = { identification: { speakerUri: ann } };
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner, convener: convener.url });
  await floor.until("c", (entries) => entries.some(({ kind, role }) => kind === "role" && role === "convener"));
  const agent = await startSilentAgent();
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  expect(agent.heard.flatMap(textsIn)).toContain("hello");
  expect(grantsIn(agent.heard)).toBe(0);
});

test("a person whose two utterances get no answer sees the reason once, and the offered grant works", async () => {
  const agent = await startSilentAgent({ grantsNeeded: 2 });
  await floor.invite("c", agent);
  const to = { speakerUri: agent.speakerUri };
  const hints = async () => (await floor.log("c", ann)).filter(({ kind }) => kind === "silent");
  await floor.send("c", [utterance(ann, "one?", { to })]);
  expect(await hints()).toEqual([]);
  await floor.say("c", "to nobody in particular");
  await floor.send("c", [utterance(ann, "two?", { to })]);
  expect(await hints()).toMatchObject([{ speakerUri: agent.speakerUri, because: "2.1/silent" }]);
  expect((await floor.log("c", agent.speakerUri)).filter(({ kind }) => kind === "silent")).toEqual([]);
  await floor.send("c", [utterance(ann, "three?", { to })]);
  expect(await hints()).toHaveLength(1);
  await floor.send("c", [{ eventType: "grantFloor", to }]);
  expect(said(await floor.send("c", [utterance(ann, "four?", { to })]))).toEqual([
    [agent.speakerUri, "granted: four?"],
  ]);
});

test("an answer in between, or a late answer, restarts the count", async () => {
  let isMute = false;
  const moody = await startAgent((heard, me) =>
    answer(heard, me, ...(isMute ? [] : textsIn(heard).map((text) => utterance(me.speakerUri, `re ${text}`)))),
  );
  await floor.invite("c", moody);
  const to = { speakerUri: moody.speakerUri };
  for (const mute of [true, false, true]) {
    isMute = mute;
    await floor.send("c", [utterance(ann, `muted ${mute}`, { to })]);
  }
  await floor.send("c", [utterance(moody.speakerUri, "sorry, I was thinking")], { as: moody.speakerUri });
  await floor.send("c", [utterance(ann, "and now?", { to })]);
  expect((await floor.log("c", ann)).filter(({ kind }) => kind === "silent")).toEqual([]);
});
