import type { AddressChange, ConversationView } from "@plenary/client";
import { expect, test } from "vitest";
import { createMoveNotice } from "./address-moves.ts";

const clock = { speakerUri: "tag:clock.example,2026:1", serviceUrl: "https://new.example/", name: "Clock" };

function notices(...views: (readonly AddressChange[])[]): string[] {
  const texts: string[] = [];
  const notice = createMoveNotice((text) => void texts.push(text));
  for (const moves of views) notice({ moves } as unknown as ConversationView);
  return texts;
}

test("a moved agent is reported once, with both addresses and the commands", () => {
  expect(notices([{ ...clock, boundTo: "https://old.example/" }], [clock])).toEqual([
    "Clock now answers from https://new.example/; it was at https://old.example/. /allow Clock accepts this address, /refuse Clock refuses it.",
  ]);
});

test("an agent that moves again is reported again", () => {
  expect(notices([clock], [], [clock])).toHaveLength(2);
});

test("an agent without a name is shown by its speakerUri", () => {
  const { name: _, ...nameless } = clock;
  expect(notices([nameless])[0]).toMatch(
    /^tag:clock\.example,2026:1 now answers from https:\/\/new\.example\/\. \/allow tag:/u,
  );
});
