// What conversants see from before they joined, and what owner and operator see of whispers.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { utterance } from "../support/envelopes.ts";
import { createCanary } from "./canary.ts";
import { type CanaryFloor, startCanaryFloor } from "./canary-floor.ts";
import { ann, bob, cid, dora, outsider } from "./participants.ts";

const root = "/api/v1/conversations/c";
let floor: CanaryFloor;

beforeEach(async () => {
  floor = await startCanaryFloor(createCanary());
  for (const person of [ann, bob, cid, dora, outsider]) await floor.giveKey(person, true);
});
afterEach(() => floor.close());

async function must(status: number, ...request: Parameters<CanaryFloor["call"]>) {
  const answered = await floor.call(...request);
  expect(answered.status, answered.text).toBe(status);
  return answered;
}

const seat = (speakerUri: string) =>
  must(200, ann, "POST", `${root}/seat`, { body: { identification: { speakerUri } } });

async function say(as: string, text: string, to?: string): Promise<void> {
  const event = utterance(as, text, to === undefined ? {} : { to: { speakerUri: to, private: true } });
  const conversation = { id: "c" };
  const openFloor = { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: as }, events: [event] };
  await must(200, as, "POST", "/openfloor", { body: { openFloor } });
}

/** Ann owns it; Bob joined at the start, Cid and Dora after the first utterances. */
async function openConversation(options: Json = {}): Promise<void> {
  await must(201, ann, "POST", "/api/v1/conversations", { body: { id: "c", ...options } });
  await seat(bob);
  await say(bob, "EARLY words");
  await say(bob, "EARLY whisper to Ann", ann);
  await seat(cid);
  await seat(dora);
  await say(ann, "LATER words");
}

async function log(who: string, query = ""): Promise<Json[]> {
  return (await must(200, who, "GET", `${root}/log?limit=1000${query}`)).json.entries as Json[];
}

async function replayed(who: string): Promise<string> {
  const stream = await floor.listen(who, "c");
  const socket = await floor.watch(who, "c");
  const both = () => `${stream.text()}${socket.raw.join("")}`;
  await expect.poll(() => both().split("LATER words").length, { timeout: 60_000 }).toBe(3);
  return both();
}

test("a new conversant sees nothing earlier until the owner reveals it, and then public utterances only", async () => {
  await openConversation();
  expect(JSON.stringify(await log(cid))).not.toContain("EARLY");
  expect(await replayed(cid)).not.toContain("EARLY");
  await must(404, cid, "GET", `${root}?at=2`);
  await must(403, cid, "POST", `${root}/reveal`, { body: { speakerUri: cid } });
  await must(200, ann, "POST", `${root}/reveal`, { body: { speakerUri: cid } });
  const shown = JSON.stringify(await log(cid));
  expect(shown).toContain("EARLY words");
  expect(shown).not.toContain("EARLY whisper");
  const stream = await replayed(cid);
  expect(stream.split("EARLY words").length).toBe(3);
  expect(stream).not.toContain("EARLY whisper");
  await must(200, cid, "GET", `${root}?at=2`);
  // Dora joined at the same time, and nothing was revealed to her.
  expect(JSON.stringify(await log(dora))).not.toContain("EARLY");
  expect(await replayed(dora)).not.toContain("EARLY");
});

test("with newcomersSee everything a newcomer sees all public utterances from the beginning", async () => {
  await openConversation({ newcomersSee: "everything" });
  for (const shown of [JSON.stringify(await log(cid)), await replayed(cid)]) {
    expect(shown).toContain("EARLY words");
    expect(shown).not.toContain("EARLY whisper");
  }
});

test("a conversant that left sees nothing later, even when the past was revealed to it", async () => {
  await openConversation({ newcomersSee: "everything" });
  const stream = await floor.listen(cid, "c");
  const socket = await floor.watch(cid, "c");
  await expect.poll(() => stream.text() + socket.raw.join(""), { timeout: 60_000 }).toContain("LATER words");
  await must(200, ann, "POST", `${root}/remove`, { body: { speakerUri: cid } });
  const other = await floor.listen(bob, "c");
  await say(ann, "AFTERWARDS");
  await expect.poll(() => other.text(), { timeout: 60_000 }).toContain("AFTERWARDS");
  expect(stream.text() + socket.raw.join("")).not.toContain("AFTERWARDS");
  expect(JSON.stringify(await log(cid))).not.toContain("AFTERWARDS");
  const again = await floor.listen(cid, "c");
  await expect.poll(() => again.text(), { timeout: 60_000 }).toContain("LATER words");
  expect(again.text()).not.toContain("AFTERWARDS");
});

const whispersIn = (entries: Json[]) => entries.flatMap(({ whisper }) => (whisper === undefined ? [] : [whisper]));

test("owner and operator see sender, addressee and time of a whisper; others see its place only", async () => {
  await openConversation();
  await say(bob, "BETWEEN US", cid);
  for (const entries of [await log(ann), await log("operator")]) {
    expect(JSON.stringify(entries)).not.toContain("BETWEEN US");
    const hidden = entries.filter(({ kind, whisper }) => kind === "hidden" && whisper !== undefined);
    expect(hidden.at(-1)).toEqual({
      seq: expect.any(Number),
      kind: "hidden",
      whisper: { at: expect.stringMatching(/^\d{4}-/u), from: bob, to: cid },
    });
  }
  // Ann sees the text of her own whispers; the operator reads without a speaker.
  expect(whispersIn(await log(ann))).toHaveLength(1);
  expect(whispersIn(await log("operator"))).toHaveLength(2);
  expect(whispersIn(await log("operator", `&speaker=${encodeURIComponent(dora)}`))).toEqual([]);
  expect(whispersIn(await log("operator", `&speaker=${encodeURIComponent(ann)}`))).toHaveLength(1);
  for (const who of [bob, cid, dora]) expect(whispersIn(await log(who)), who).toEqual([]);
});

test("a new owner gets the view of an owner, and the former owner loses it", async () => {
  await openConversation();
  await say(cid, "BETWEEN US", dora);
  const bye = { conversation: { id: "c" }, sender: { speakerUri: ann }, events: [{ eventType: "bye" }] };
  await must(200, ann, "POST", "/openfloor", { body: { openFloor: { schema: { version: "1.1.0" }, ...bye } } });
  expect((await must(200, bob, "GET", root)).json.owner).toBe(bob);
  expect(whispersIn(await log(bob))).toMatchObject([{ from: cid, to: dora }]);
  expect(whispersIn(await log(ann))).toEqual([]);
});

test("a speaker with the name of an Object.prototype property is unknown", async () => {
  await openConversation();
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    const entries = await log("operator", `&speaker=${name}`);
    expect(entries.every(({ kind }) => kind === "hidden")).toBe(true);
    expect(whispersIn(entries)).toEqual([]);
  }
});
