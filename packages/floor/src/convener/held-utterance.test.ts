// Utterances that a convener held back and publishes later (D11).
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { ann, ben, chair, from, now, owl, parrot, received, room, says } from "../testing/room.ts";

const floor = room({ people: [ann, ben], agents: [parrot, owl], convener: chair });

test("a held utterance that the convener publishes goes to everyone but its author", () => {
  const said = decide(floor, from(chair, says(parrot, "as I said")), now);
  expect(received(said)).toEqual([`${owl}: utterance`]);
  expect(said.entries.at(-1)).toMatchObject({ kind: "event", sender: chair, audience: [ann, ben, parrot, owl, chair] });
});

test("an utterance of the convener in its own name goes to everyone", () => {
  expect(received(decide(floor, from(chair, says(chair, "welcome")), now))).toEqual([
    `${parrot}: utterance`,
    `${owl}: utterance`,
  ]);
});

test("an utterance under another speaker's name also goes to that speaker", () => {
  const said = decide(floor, from(owl, says(parrot, "I, Parrot, agree")), now);
  expect(received(said)).toContain(`${parrot}: utterance`);
});
