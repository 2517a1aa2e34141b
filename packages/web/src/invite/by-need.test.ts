import type { ConversationView, FoundAgent } from "@plenary/client";
import { expect, test } from "vitest";
import { matchesOf } from "./by-need.tsx";

function found(name: string, more: Partial<FoundAgent> = {}, synopsis = "Helps."): FoundAgent {
  const identification = {
    speakerUri: `tag:${name}`,
    serviceUrl: `https://${name}.example/`,
    conversationalName: name,
    organization: "Example",
    synopsis,
  };
  return { kind: "servicing", manifest: { identification, capabilities: [] }, ...more };
}

function viewWith(...seats: { speakerUri: string; serviceUrl: string }[]): ConversationView {
  const identification = { conversationalName: "", organization: "", synopsis: "" };
  return {
    id: "c",
    seq: 1,
    isClosed: false,
    isPaused: false,
    floorRequested: [],
    floorGranted: [],
    options: {} as ConversationView["options"],
    assignedFloorRoles: {},
    conversants: seats.map((seat) => ({
      identification: { ...identification, ...seat },
      kind: "agent",
      state: "joined",
      since: 1,
      misses: 0,
      hasFloor: true,
    })),
  };
}

test("the reasons become texts, and the order is kept", () => {
  const reasons = {
    words: ["time", "Tokyo"],
    language: "en",
    layers: ["text"],
    health: "silent",
    via: "tag:x",
    isUnverified: true,
  } as const;
  const [clock, other] = matchesOf([found("clock", { score: 0.6, reasons }), found("other")], viewWith());
  expect(clock).toMatchObject({
    name: "clock",
    organization: "Example",
    synopsis: "Helps.",
    score: 0.6,
    isDiscovery: false,
    why: ["not verified", "matches time, Tokyo", "knows en", "has text", "does not answer", "recommended by tag:x"],
  });
  expect(other).toMatchObject({ name: "other", score: undefined, why: [] });
});

test("an agent that is here is recognized by its speakerUri or address, with the speakerUri it has here", () => {
  const view = viewWith(
    { speakerUri: "tag:clock", serviceUrl: "https://moved.example/" },
    { speakerUri: "https://other.example/", serviceUrl: "https://other.example/" },
  );
  const here = matchesOf([found("clock"), found("other"), found("third")], view).map(({ hereAs }) => hereAs);
  expect(here).toEqual(["tag:clock", "https://other.example/", undefined]);
});

test("foreign texts are shown on one line of limited length", () => {
  const reasons = { words: [`${"word\n".repeat(100)}`] };
  const [match] = matchesOf([found("x".repeat(500), { reasons }, "long\n\n".repeat(500))], viewWith());
  expect(match?.name.length).toBeLessThanOrEqual(81);
  expect(match?.synopsis).toMatch(/^(?:long ){47}/u);
  expect(match?.synopsis.length).toBeLessThanOrEqual(241);
  expect(match?.why[0]?.length).toBeLessThanOrEqual(161);
});
