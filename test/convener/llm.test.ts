// A convener that asks a model, on a real floor and over real HTTP, also when the model fails.
import { expect, test } from "vitest";
import { silent, startAgent } from "../support/http-agent.ts";
import {
  answersWhole,
  breaksAfter,
  ends,
  fallsSilentAfter,
  neverEnds,
  type Play,
  refuses,
  says,
} from "../support/stub-model.ts";
import { chooses, closeAfterEach, expectCarriesOn, key, open, promptIn, type Settings } from "./llm-convener-floor.ts";

closeAfterEach();

test("L1: a request is granted or refused as the model chooses, and the reason is one of ours", async () => {
  const refusal = { choice: "refuse", why: "offTopic", reason: "tell everyone: \u001b[2J", events: [{}] };
  const { model, floor } = await open([says(JSON.stringify(refusal)), chooses("approve")]);
  await floor.request("ben");
  await floor.request("cid");
  expect((await floor.rulings()).slice(-2)).toEqual([
    "revokeFloor ben: @brokenPolicy this is off topic",
    "grantFloor cid",
  ]);
  expect(model.asked).toHaveLength(2);
  expect(JSON.stringify(await floor.log())).not.toContain("tell everyone");
  await expectCarriesOn(floor);
});

test("L1: the model chooses the next speaker among the waiting requests", async () => {
  const { model, floor } = await open([chooses("approve")]);
  for (const name of ["ben", "cid", "dan"]) await floor.request(name);
  model.play((response, asked) => {
    const { conversants } = promptIn(asked).known as { conversants: { id: string; name: string }[] };
    const dan = conversants.find(({ name }) => name === "dan")?.id ?? "";
    return chooses(dan)(response, asked);
  });
  await floor.yields("ben");
  await expect.poll(() => floor.speakers()).toEqual(["dan"]);
  expect(promptIn(await model.request(3)).known.matter.waiting).toHaveLength(2);
  await expectCarriesOn(floor);
});

test("L1 L2: an utterance without the floor is passed at once, passed in its turn, or dropped", async () => {
  const { floor } = await open([chooses("approve"), chooses("approve"), chooses("refuse", "rude"), chooses("hold")]);
  await floor.request("ben");
  await floor.say("cid", "one remark");
  await floor.say("cid", "an insult");
  await floor.say("cid", "something long");
  expect(await floor.heard()).toEqual(["cid: one remark"]);
  expect(await floor.rulings()).toContain("revokeFloor cid: @brokenPolicy this is not polite");
  await floor.yields("ben");
  await expect.poll(() => floor.heard()).toContainEqual(expect.stringContaining("something long"));
});

test("L1 L2: an invite that is not the owner's is dropped when the model refuses it", async () => {
  const { floor } = await open([chooses("refuse"), chooses("approve")]);
  const bot = await startAgent(silent);
  const invite = { eventType: "invite", to: { serviceUrl: bot.url } };
  await floor.act("ben", invite);
  expect(bot.heard).toEqual([]);
  await floor.act("ben", invite);
  await expect.poll(() => bot.heard.length).toBeGreaterThan(0);
});

const failures: [name: string, play: Play, settings?: Settings][] = [
  ["is silent", fallsSilentAfter(), { deadlineMs: 200 }],
  ["begins and falls silent", fallsSilentAfter('{"choice":'), { deadlineMs: 200 }],
  ["never comes to an end", neverEnds, { deadlineMs: 300 }],
  ["answers 500", refuses(500, { error: { message: `failed with ${key}` } })],
  ["answers 429", refuses(429, { error: { message: "slow down" } }, { "retry-after": "30" })],
  ["does not take the key", refuses(401, { error: { message: "no" } })],
  ["breaks off", breaksAfter('{"choice":"refuse"')],
  ["is cut off by its length", ends("length", '{"choice":"refuse"}')],
  ["is filtered", ends("content_filter", '{"choice":"refuse"}')],
  ["answers with a page", refuses(200, "<html>login</html>")],
  ["answers in prose", says("I would ", "refuse that.")],
  ["answers with nothing", answersWhole("")],
  ["chooses what it was not offered", chooses("uninvite")],
  ["sends events", says('{"events":[{"eventType":"uninvite","to":{"speakerUri":"tag:people.example,2026:ann"}}]}')],
];

test.each(failures)("L4 C3: a model that %s leaves the decision to the queue", async (_name, play, settings) => {
  const { model, floor, errors } = await open([play], settings);
  await floor.request("ben");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.request("cid");
  await floor.say("dan", "me too");
  await floor.yields("ben");
  await expect.poll(() => floor.speakers()).toEqual(["cid"]);
  await floor.yields("cid");
  await expect.poll(() => floor.heard()).toEqual([expect.stringContaining("me too")]);
  expect(model.asked.length).toBeGreaterThan(0);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.map(String).join()).not.toContain(key);
  await expectCarriesOn(floor);
});

test("L4 C3: an unreachable model blocks nothing", async () => {
  const { model, floor } = await open([]);
  await model.close();
  await floor.request("ben");
  expect(await floor.speakers()).toEqual(["ben"]);
  await expectCarriesOn(floor);
});

/** Holds its answers until the test releases them. */
function withheld(play: Play) {
  let letGo = () => {};
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const waiting: Play = async (response, asked) => {
    await isFree;
    await play(response, asked);
  };
  return { waiting, letGo };
}

test("two conversants that request the floor while the model thinks get it one after the other", async () => {
  const { waiting, letGo } = withheld(chooses("approve"));
  const { model, floor } = await open([waiting]);
  const asked = [floor.request("ben"), floor.request("cid")];
  await model.request(1);
  await floor.say("ann", "meanwhile the owner speaks");
  expect(await floor.heard()).toHaveLength(1);
  letGo();
  await Promise.all(asked);
  const [first = ""] = await floor.speakers();
  expect(await floor.speakers()).toEqual([first]);
  await floor.yields(first);
  await expect.poll(() => floor.speakers()).toEqual([first === "ben" ? "cid" : "ben"]);
  await expectCarriesOn(floor);
});

test("a convener that loses its role while its model thinks delays no event", async () => {
  const { waiting, letGo } = withheld(chooses("refuse"));
  const { model, floor } = await open([waiting]);
  const asked = floor.request("ben");
  await model.request(0);
  await floor.removeConvener();
  await asked;
  expect(await floor.speakers()).toEqual(["ben"]);
  letGo();
  await floor.quiet();
  expect(await floor.speakers()).toEqual(["ben"]);
});

test("L4: after three failures in a row the model is not asked for a while", async () => {
  const { model, floor } = await open([refuses(500, {})]);
  for (const name of ["ben", "cid", "dan", "ben", "cid", "dan"]) {
    await floor.request(name);
    await floor.yields(name);
  }
  expect(model.asked).toHaveLength(3);
  await expectCarriesOn(floor);
});

test("L3 C6: an event of the owner takes effect without a question to the model", async () => {
  const { model, floor } = await open([chooses("refuse")]);
  await floor.act("ann", { eventType: "yieldFloor" });
  await floor.request("ann");
  await floor.about("ann", "grantFloor", "cid");
  await floor.about("ann", "uninvite", "dan");
  expect((await floor.state()).floorGranted).toContain(floor.speakerOf("ann"));
  expect(await floor.speakers()).toEqual(["cid"]);
  expect(await floor.present()).not.toContain("dan");
  expect(model.asked).toEqual([]);
});

test("L5: a model that refuses every request cannot silence a conversant forever", async () => {
  const { floor } = await open([chooses("refuse", "rude")]);
  for (const _ of [1, 2, 3]) await floor.request("ben");
  expect(await floor.speakers()).toEqual(["ben"]);
});

test("L3 L6: a prompt contains no whisper and no address", async () => {
  const { model, floor } = await open([chooses("approve")]);
  const secret = "the-secret-of-ben";
  const whisper = (to: string) => ({ speakerUri: floor.speakerOf(to), private: true });
  await floor.request("ben");
  for (const to of ["cid", "ann"]) {
    const features = { text: { mimeType: "text/plain", tokens: [{ value: secret }] } };
    const span = { startTime: "2026-01-31T10:05:00Z" };
    const dialogEvent = { id: `de:${to}`, speakerUri: floor.speakerOf("ben"), span, features };
    await floor.act("ben", { eventType: "utterance", to: whisper(to), parameters: { dialogEvent } });
  }
  await floor.say("ben", "aloud");
  await floor.request("cid");
  expect(JSON.stringify(await floor.log("ben"))).toContain(secret);
  const sent = JSON.stringify(model.asked.map(({ body }) => body));
  expect(sent).toContain("aloud");
  expect(sent).not.toContain(secret);
  expect(sent).not.toContain("tag:");
});
