import { expect, test } from "vitest";
import { envelope, publishManifests, textUtterance } from "../../build/build.ts";
import type { FloorEvent } from "../../model/event.ts";
import { encodeEnvelope } from "../encode.ts";

const sender = { speakerUri: "tag:ann.example,2025:1" };
const bot = { speakerUri: "tag:bot.example,2025:1", serviceUrl: "https://bot.example" };

function write(event: FloorEvent) {
  const { document, losses } = encodeEnvelope(envelope({ conversation: { id: "c1" }, sender, events: [event] }), "1.0");
  const { events } = document.openFloor as { events: unknown[] };
  return { events, paths: losses.map(({ path }) => path) };
}

test("a score is not written, since manifests of 1.0 have none", () => {
  const identification = { ...bot, organization: "Example", conversationalName: "Bot", synopsis: "Helps." };
  const manifest = { identification, capabilities: [] };
  const { events, paths } = write(publishManifests({ servicingManifests: [{ ...manifest, score: 0.5 }] }));
  expect(events).toEqual([{ eventType: "publishManifests", parameters: { servicingManifests: [manifest] } }]);
  expect(paths).toEqual(["/openFloor/events/0/parameters/servicingManifests/0/score"]);
});

test("a public utterance to another agent keeps its addressee", () => {
  const said = { speakerUri: sender.speakerUri, id: "de:1", startTime: "2025-01-31T10:05:00Z" };
  for (const to of [bot, { speakerUri: "urn:stranger" }]) {
    expect(write(textUtterance("hello", { ...said, to })).events).toMatchObject([{ eventType: "utterance", to }]);
  }
});
