import { expect, test } from "vitest";
import { activityOf } from "./conversants-panel.tsx";

const clock = "tag:clock";
const draft = (text: string, speakerUri = clock) => ({ dialogEventId: "d", speakerUri, text, isWhisper: false });

test("an agent is thinking until its first words arrive, then answering", () => {
  expect(activityOf({ awaited: [clock], drafts: [] }, clock)).toBe("thinking");
  expect(activityOf({ awaited: [clock], drafts: [draft("")] }, clock)).toBe("thinking");
  expect(activityOf({ awaited: [clock], drafts: [draft("It is")] }, clock)).toBe("answering");
  expect(activityOf({ awaited: [], drafts: [draft("It is")] }, clock)).toBe("answering");
});

test("an agent that got nothing does neither", () => {
  expect(activityOf({ awaited: ["tag:other"], drafts: [draft("Well", "tag:other")] }, clock)).toBeUndefined();
});
