import { expect, test } from "vitest";
import { parseEnvelope } from "../parse/parse.ts";
import { envelope } from "./build.ts";
import { conversantOf } from "./conversant.ts";

const sender = { speakerUri: "tag:floor.example,2025:1" };
const least = {
  speakerUri: "tag:guide.example,2025:1",
  serviceUrl: "https://guide.example",
  organization: "Example",
  conversationalName: "Guide",
  synopsis: "Shows the way.",
};
const optional = { department: "Travel", role: "Guide", openFloorRoles: { convener: true } };

test("a conversant is the manifest's identification without further keys", () => {
  const identification = { ...least, ...optional, character: "friendly" };
  expect(conversantOf({ identification, capabilities: [] })).toEqual({ identification: { ...least, ...optional } });
});

test("optional fields that the manifest does not have are not added", () => {
  const conversant = conversantOf({ identification: least, capabilities: [] });
  expect(Object.keys(conversant.identification).sort()).toEqual(Object.keys(least).sort());
});

test("an envelope with conversants made from manifests parses without issues", () => {
  const conversants = [least, { ...least, ...optional, speakerUri: "tag:guide.example,2025:2", character: "odd" }].map(
    (identification) => conversantOf({ identification, capabilities: [] }),
  );
  const openFloor = envelope({ conversation: { id: "c1", conversants }, sender, events: [] });
  const parsed = parseEnvelope(JSON.stringify({ openFloor }), { now: "2025-01-31T10:05:00Z", newId: () => "new" });
  expect(parsed).toMatchObject({ ok: true, issues: [] });
});
