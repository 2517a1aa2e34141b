import { expect, test } from "vitest";
import { activityOf } from "./activity.ts";

const clock = "tag:clock";
const draft = (text: string, speakerUri = clock) => ({ dialogEventId: "d", speakerUri, text, isWhisper: false });

test("who was sent something thinks until its first words come, and answers then", () => {
  expect(activityOf({ awaited: [clock], drafts: [] }, clock)).toBe("thinking");
  expect(activityOf({ awaited: [clock], drafts: [draft("")] }, clock)).toBe("thinking");
  expect(activityOf({ awaited: [clock], drafts: [draft("It is")] }, clock)).toBe("answering");
  expect(activityOf({ awaited: [], drafts: [draft("It is")] }, clock)).toBe("answering");
});

test("who was sent nothing does neither, whatever others do", () => {
  expect(activityOf({ awaited: ["tag:other"], drafts: [draft("Well", "tag:other")] }, clock)).toBeUndefined();
});
