import { expect, test } from "vitest";
import { parseEnvelope } from "../parse/parse.ts";

test("an issue after a left-out part is reported at its original place", () => {
  const tokens = [{ nothing: "to say" }, { value: "late", span: { startTime: "2025-02-29T10:05:00Z" } }];
  const dialogEvent = {
    id: "d1",
    speakerUri: "tag:ann.example,2025:1",
    span: { startTime: "2025-01-31T10:05:00Z" },
    features: { text: { mimeType: "text/plain", tokens } },
  };
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "c" },
    sender: { speakerUri: "tag:ann.example,2025:1" },
    events: [{ eventType: "utterance", parameters: { dialogEvent } }],
  };
  const { issues } = parseEnvelope(JSON.stringify({ openFloor }), { now: "2025-01-31T10:05:00Z", newId: () => "id" });
  const date = issues.find(({ rule }) => rule === "calendar-date");
  expect(date?.path).toBe("/openFloor/events/0/parameters/dialogEvent/features/text/tokens/1/span/startTime");
});
