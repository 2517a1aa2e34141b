// Each of our conveners on a floor that signs everything itself and sends its convener a copy of each utterance.
import { agentNames } from "@plenary/agents";
import { expect, test } from "vitest";
import { addressOf, CopyingFloor, human, nameOf } from "./floor-copying-to-its-convener.ts";
import { serveNamed } from "./served-agents.ts";

const conveners = agentNames.filter((name) => name.startsWith("convener-"));

async function open(name: string) {
  const floor = new CopyingFloor(await serveNamed(name), ["owl", "ant"]);
  const [accepted] = await floor.open();
  expect(accepted?.eventType).toBe("acceptInvite");
  return floor;
}

const utterancesIn = (events: readonly { eventType: string }[]) =>
  events.filter(({ eventType }) => eventType === "utterance");

test.each(conveners)("%s does not return copies of utterances with the floor", async (name) => {
  const floor = await open(name);
  for (const speaker of [human, nameOf("owl"), addressOf("owl"), "tag:owl.example,2026:1", human]) {
    expect([speaker, utterancesIn(await floor.says(speaker, `hello from ${speaker}`))]).toEqual([speaker, []]);
  }
});

test.each(conveners)("%s decides on an utterance of a listed agent without the floor", async (name) => {
  const floor = await open(name);
  floor.revoke("owl");
  floor.revoke("ant");
  const returned = await floor.says(nameOf("owl"), "may I?");
  // The convener lets the utterance pass, or queues it.
  const aboutOwl = returned.filter(
    ({ eventType, to }) => eventType === "utterance" || to?.speakerUri === nameOf("owl"),
  );
  expect(aboutOwl).not.toEqual([]);
});

test.each(conveners)("%s decides on invites and uninvites", async (name) => {
  const floor = await open(name);
  const invite = { eventType: "invite", to: { speakerUri: nameOf("fox"), serviceUrl: addressOf("fox") } };
  expect(await floor.ask(invite)).toContainEqual(invite);
  const uninvite = { eventType: "uninvite", to: { speakerUri: nameOf("ant"), serviceUrl: addressOf("ant") } };
  expect(await floor.ask(uninvite)).toContainEqual(uninvite);
});

test("an agent that talks too much loses the floor, also where its address holds the floor", async () => {
  const floor = await open("convener-budget");
  const returned = [];
  for (let nth = 1; nth <= 13; nth += 1) returned.push(...(await floor.says(nameOf("owl"), `line ${nth}`)));
  expect(returned).toMatchObject([{ eventType: "revokeFloor", to: { speakerUri: nameOf("owl") } }]);
});
