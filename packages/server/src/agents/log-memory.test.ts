import { type Decision, decide, type Floor, type Input } from "@plenary/floor";
import { envelope, type FloorEvent, invite, textOf, textUtterance } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { beforeEach, expect, test } from "vitest";
import type { FloorStore } from "../ports/store.ts";
import { ann, bot, changeOf, now, openDecision, seatDecision } from "../store/acceptance/fixture.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createLogMemory } from "./host-api.ts";

const bob = "tag:bob.example,2026:bob";
const cid = "tag:cid.example,2026:cid";
const scribe = bot.speakerUri;

let store: FloorStore;
let floor: Floor;
let minted = 0;

async function append(decision: Decision): Promise<Floor> {
  expect(decision.refusals).toEqual([]);
  expect(await store.log.append("c", changeOf(decision), floor.seq)).toBe("appended");
  floor = decision.floor;
  return floor;
}

const take = (input: Input) => append(decide(floor, input, now));

const seatPerson = (speakerUri: string, conversationalName = "") => {
  const identification = { speakerUri, serviceUrl: "", organization: "", conversationalName, synopsis: "" };
  return take({ kind: "command", command: { verb: "seat", identification, seatKind: "person" }, by: "operator" });
};

const send = (speakerUri: string, ...events: FloorEvent[]) =>
  take({ kind: "envelope", envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri }, events }) });

function say(speakerUri: string, text: string, whisperTo?: string) {
  minted += 1;
  const to = whisperTo === undefined ? {} : { to: { speakerUri: whisperTo, private: true } };
  return send(speakerUri, textUtterance(text, { speakerUri, id: `u${minted}`, startTime: now, ...to }));
}

const recallFor = (speakerUri: string) => createLogMemory(store.log)("c", speakerUri);

const wordsIn = (heard: readonly HistoryEntry[]) =>
  heard.flatMap(({ event }) => (event.eventType === "utterance" ? [textOf(event.parameters.dialogEvent)] : []));

/** The text, and the seated conversants who may see it. */
const audiences = async () =>
  Object.fromEntries(
    (await recallFor(scribe)).flatMap(({ event, audience }) =>
      event.eventType === "utterance" ? [[textOf(event.parameters.dialogEvent), audience]] : [],
    ),
  );

beforeEach(async () => {
  store = createMemoryStore();
  floor = { ...openDecision("c").floor, seq: 0 };
  await append(openDecision("c"));
  await seatPerson(bob, "Bob");
  await append(seatDecision(floor));
});

test("public utterances are returned in order, with speaker and name", async () => {
  await say(ann, "one");
  await say(bob, "two");
  const heard = (await recallFor(scribe)).filter(({ event }) => event.eventType === "utterance");
  expect(heard).toMatchObject([
    { at: now, sender: ann, name: "Ann" },
    { at: now, sender: bob, name: "Bob" },
  ]);
  expect(wordsIn(heard)).toEqual(["one", "two"]);
});

test("whispers between others are never returned; own whispers have both parties as audience", async () => {
  await say(ann, "between us", bob);
  await say(ann, "to the scribe", scribe);
  await say(scribe, "from the scribe", bob);
  expect(await audiences()).toEqual({ "to the scribe": [ann, scribe], "from the scribe": [bob, scribe] });
  expect(wordsIn(await recallFor(bob))).toEqual(["between us", "from the scribe"]);
});

test("a speaker without a seat gets nothing, under any name", async () => {
  await say(ann, "one");
  for (const name of [cid, "", "constructor", "__proto__"]) expect(await recallFor(name)).toEqual([]);
  expect(await createLogMemory(store.log)("another", scribe)).toEqual([]);
});

test("a later conversant is not in the audience of earlier utterances, unless they were opened to it", async () => {
  await say(ann, "before");
  await seatPerson(cid);
  await say(ann, "after");
  expect(await audiences()).toEqual({ before: [ann, bob, scribe], after: [ann, bob, scribe, cid] });
  expect(wordsIn(await recallFor(cid))).toEqual(["after"]);
  await take({ kind: "command", command: { verb: "reveal", speakerUri: cid, from: 1 }, by: "operator" });
  expect(await audiences()).toEqual({ before: [ann, bob, scribe, cid], after: [ann, bob, scribe, cid] });
  expect(wordsIn(await recallFor(cid))).toEqual(["before", "after"]);
});

test("a conversant that left is in no audience, and its utterances keep its name", async () => {
  await say(bob, "goodbye");
  await send(bob, { eventType: "bye" });
  expect(await audiences()).toEqual({ goodbye: [ann, scribe] });
  const heard = await recallFor(scribe);
  expect(heard.find(({ event }) => event.eventType === "utterance")).toMatchObject({ sender: bob, name: "Bob" });
});

test("people seated while the agent was present appear as accepted invites", async () => {
  await seatPerson(cid, "Cid");
  const came = (await recallFor(scribe)).filter(({ event }) => event.eventType === "acceptInvite");
  expect(came.map(({ sender, name }) => [sender, name])).toEqual([
    [scribe, "Bot"],
    [cid, "Cid"],
  ]);
});

test("erased text is gone", async () => {
  await say(ann, "TOP-SECRET");
  await say(ann, "harmless");
  const entries = await store.log.entries("c", { after: 0, limit: 100 });
  const seq = entries.find((entry) => entry.kind === "event" && JSON.stringify(entry).includes("TOP-SECRET"))?.seq ?? 0;
  expect(JSON.stringify(await recallFor(scribe))).toContain("TOP-SECRET");
  await take({ kind: "command", command: { verb: "erase", seq }, by: "operator" });
  const heard = await recallFor(scribe);
  expect(JSON.stringify(heard)).not.toContain("TOP-SECRET");
  expect(wordsIn(heard)).toContain("harmless");
});

test("a speaker renamed when it joined appears under its new name, as sender and in audiences", async () => {
  const address = "http://parrot.example/";
  const parrot = "tag:parrot.example,2026:parrot";
  await send(ann, invite({ to: { serviceUrl: address } }));
  await say(ann, "while it was a mere address");
  const delivery = floor.open.find(({ to, isInvite }) => to === address && isInvite)?.id ?? "";
  const answer = envelope({
    conversation: { id: "c" },
    sender: { speakerUri: parrot, serviceUrl: address },
    events: [],
  });
  await take({ kind: "answer", delivery, envelope: answer });
  await say(parrot, "under its own name");
  expect(await audiences()).toEqual({
    "while it was a mere address": [ann, bob, scribe, parrot],
    "under its own name": [ann, bob, scribe, parrot],
  });
  expect(wordsIn(await recallFor(parrot))).toEqual(["while it was a mere address", "under its own name"]);
});

test("the history in an invite is returned only to its sender", async () => {
  const quoted = textUtterance("retold", { speakerUri: ann, id: "h", startTime: now }).parameters.dialogEvent;
  const to = { serviceUrl: "http://new.example/", speakerUri: "tag:new.example,2026:new" };
  await send(ann, invite({ to, dialogHistory: [quoted] }));
  expect(JSON.stringify(await recallFor(scribe))).not.toContain("retold");
});

test("of a long conversation only the end is returned", async () => {
  for (let count = 0; count < 1_200; count += 1) await say(ann, `word ${count}`);
  const heard = wordsIn(await recallFor(scribe));
  expect(heard.length).toBeGreaterThan(900);
  expect(heard.length).toBeLessThanOrEqual(1_000);
  expect(heard.at(-1)).toBe("word 1199");
});

test("of large utterances as many as fit are returned", async () => {
  for (let count = 0; count < 20; count += 1) await say(ann, `${count} ${"x".repeat(1_000_000)}`);
  const heard = wordsIn(await recallFor(scribe)).map((words) => Number.parseInt(words, 10));
  expect(heard).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  await say(ann, "y".repeat(9_000_000));
  expect(wordsIn(await recallFor(scribe))).toHaveLength(1);
});
