// `convener-moderated` on a real floor, by the numbers of docs/convener.md.
import { afterEach, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const people = ["ben", "cleo"];
const mimeType = "application/vnd.plenary.interaction+json";

/** The texts of the convener's questions to a speaker. */
async function questionsTo(name: string): Promise<Map<string, string>> {
  const asked = (await floor.log(name)).flatMap(({ kind, event }) => {
    const { features } = (event?.parameters?.dialogEvent ?? {}) as { features?: Features };
    return kind === "event" ? (features?.interaction?.tokens ?? []).map(({ value }) => value) : [];
  });
  return new Map(asked.map(({ text, id }) => [text, id]));
}
type Features = { interaction?: { tokens: { value: { id: string; text: string } }[] } };

const toConvener = async () => ({ to: { speakerUri: (await floor.state()).assignedFloorRoles.convener?.[0] } });

/** Answers a question by choosing an option, as a page does. */
async function reply(name: string, question: string, value: string): Promise<void> {
  const id = (await questionsTo(name)).get(question);
  const said = utterance(floor.speakerOf(name), value, await toConvener()) as { parameters: { dialogEvent: Card } };
  said.parameters.dialogEvent.features.interactionReply = { mimeType, tokens: [{ value: { id, values: [value] } }] };
  await floor.act(name, said);
}
type Card = { features: Record<string, object> };

const word = async (name: string, text: string) =>
  floor.act(name, utterance(floor.speakerOf(name), text, await toConvener()));

test("M1 M2 M4: only the owner has the floor until the owner agrees, and each question is asked once", async () => {
  floor = await startConvenedFloor({ convener: "convener-moderated", people });
  expect(await floor.speakers()).toEqual([]);
  await floor.request("ben");
  await floor.request("ben");
  expect(await floor.speakers()).toEqual([]);
  const questions = await questionsTo("ann");
  expect([...questions.keys()]).toEqual(["ben asks for the floor"]);
  expect(await questionsTo("cleo")).toEqual(new Map());
  await reply("ann", "ben asks for the floor", "yes");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.yields("ben");
  await floor.say("ben", "one more thing");
  expect(await floor.heard()).not.toContain("ben: one more thing");
});

test("M3 M5: each utterance waits for the owner separately, and each answer names its utterance", async () => {
  floor = await startConvenedFloor({ convener: "convener-moderated", people });
  await floor.say("ben", "first");
  await floor.say("cleo", "second");
  await floor.say("cleo", "third");
  expect(await floor.heard()).toEqual([]);
  await reply("ann", "cleo wants to say: “third”", "yes");
  await reply("ann", "ben wants to say: “first”", "no");
  expect((await floor.heard()).filter((one) => !one.startsWith("ann"))).toEqual(["cleo: third"]);
  expect((await floor.whispers("ben")).at(-1)).toContain("declined your message");
  expect(await floor.speakers()).toEqual([]);
});

test("M4 M6: an utterance to the convener decides, too, and a refusal is announced", async () => {
  floor = await startConvenedFloor({ convener: "convener-moderated", people });
  await floor.request("ben");
  await floor.request("cleo");
  await word("ann", "Yes, Cleo");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await word("ann", "no");
  expect(await floor.speakers()).toEqual(["cleo"]);
  expect((await floor.rulings()).at(-1)).toBe("revokeFloor ben: the owner said no");
  await floor.about("ann", "grantFloor", "ben");
  expect((await floor.speakers()).toSorted()).toEqual(["ben", "cleo"]);
});

test("M7: a new owner gets the open questions", async () => {
  floor = await startConvenedFloor({ convener: "convener-moderated", people });
  for (const name of ["ben", "cleo"]) await floor.request(name);
  await floor.act("ann", { eventType: "bye" });
  await floor.quiet();
  await word("ben", "hello");
  expect([...(await questionsTo("ben")).keys()]).toEqual(["cleo asks for the floor"]);
  await reply("ben", "cleo asks for the floor", "yes");
  expect(await floor.speakers()).toContain("cleo");
});
