// `convener-moderated` on a real floor, by the numbers of docs/convener.md.
import { afterEach, expect, test } from "vitest";
import { utterance } from "../floor/agents.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

const people = ["ben", "cleo"];
const mimeType = "application/vnd.plenary.interaction+json";

/** The questions that the convener has put to somebody, by what they say. */
async function questionsTo(name: string): Promise<Map<string, string>> {
  const asked = (await stage.log(name)).flatMap(({ kind, event }) => {
    const { features } = (event?.parameters?.dialogEvent ?? {}) as { features?: Features };
    return kind === "event" ? (features?.interaction?.tokens ?? []).map(({ value }) => value) : [];
  });
  return new Map(asked.map(({ text, id }) => [text, id]));
}
type Features = { interaction?: { tokens: { value: { id: string; text: string } }[] } };

const toConvener = async () => ({ to: { speakerUri: (await stage.state()).assignedFloorRoles.convener?.[0] } });

/** Answers a question by its card, as a page does. */
async function reply(name: string, question: string, value: string): Promise<void> {
  const id = (await questionsTo(name)).get(question);
  const said = utterance(stage.speakerOf(name), value, await toConvener()) as { parameters: { dialogEvent: Card } };
  said.parameters.dialogEvent.features.interactionReply = { mimeType, tokens: [{ value: { id, values: [value] } }] };
  await stage.act(name, said);
}
type Card = { features: Record<string, object> };

const word = async (name: string, text: string) =>
  stage.act(name, utterance(stage.speakerOf(name), text, await toConvener()));

test("M1 M2 M4: nobody but the owner has the floor before the owner has said yes, and is asked once", async () => {
  stage = await openStage({ convener: "convener-moderated", people });
  expect(await stage.speakers()).toEqual([]);
  await stage.request("ben");
  await stage.request("ben");
  expect(await stage.speakers()).toEqual([]);
  const questions = await questionsTo("ann");
  expect([...questions.keys()]).toEqual(["ben asks for the floor"]);
  expect(await questionsTo("cleo")).toEqual(new Map());
  await reply("ann", "ben asks for the floor", "yes");
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.yields("ben");
  await stage.say("ben", "one more thing");
  expect(await stage.heard()).not.toContain("ben: one more thing");
});

test("M3 M5: words wait for the owner, each by itself, and each answer names its own", async () => {
  stage = await openStage({ convener: "convener-moderated", people });
  await stage.say("ben", "first");
  await stage.say("cleo", "second");
  await stage.say("cleo", "third");
  expect(await stage.heard()).toEqual([]);
  await reply("ann", "cleo wants to say: “third”", "yes");
  await reply("ann", "ben wants to say: “first”", "no");
  expect((await stage.heard()).filter((one) => !one.startsWith("ann"))).toEqual(["cleo: third"]);
  expect((await stage.whispers("ben")).at(-1)).toContain("declined your message");
  expect(await stage.speakers()).toEqual([]);
});

test("M4 M6: words said to the convener decide, too, and a no is told", async () => {
  stage = await openStage({ convener: "convener-moderated", people });
  await stage.request("ben");
  await stage.request("cleo");
  await word("ann", "Yes, Cleo");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await word("ann", "no");
  expect(await stage.speakers()).toEqual(["cleo"]);
  expect((await stage.rulings()).at(-1)).toBe("revokeFloor ben: the owner said no");
  await stage.about("ann", "grantFloor", "ben");
  expect((await stage.speakers()).toSorted()).toEqual(["ben", "cleo"]);
});

test("M7: whoever becomes the owner is asked what is still open", async () => {
  stage = await openStage({ convener: "convener-moderated", people });
  for (const name of ["ben", "cleo"]) await stage.request(name);
  await stage.act("ann", { eventType: "bye" });
  await stage.quiet();
  await word("ben", "hello");
  expect([...(await questionsTo("ben")).keys()]).toEqual(["cleo asks for the floor"]);
  await reply("ben", "cleo asks for the floor", "yes");
  expect(await stage.speakers()).toContain("cleo");
});
