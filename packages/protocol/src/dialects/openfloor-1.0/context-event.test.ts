import { expect, test } from "vitest";
import type { Envelope } from "../../model/envelope.ts";
import { parseEnvelope } from "../../parse/parse.ts";
import { encodeEnvelope } from "../encode.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };

test("two invites to the same agent are read back each with its own history", () => {
  const past = { id: "de:1", speakerUri: "urn:ann", span: { startTime: "2025-01-31T10:00:00Z" }, features: {} };
  const to = { serviceUrl: "https://b.example" };
  const envelope: Envelope = {
    schema: { version: "1.1.0" },
    conversation: { id: "c1" },
    sender: { speakerUri: "urn:ann" },
    events: [
      { eventType: "invite", to },
      { eventType: "invite", to, parameters: { dialogHistory: [past] } },
    ],
  };
  const { document, losses } = encodeEnvelope(envelope, "1.0");
  expect(losses).toEqual([]);
  expect(parseEnvelope(JSON.stringify(document), mint)).toMatchObject({ issues: [], envelope });
});

test("a key of a conversant that 1.0.0 would read as its state is a loss", () => {
  const identification = {
    ...{ speakerUri: "urn:ann", serviceUrl: "https://a.example" },
    ...{ organization: "A", conversationalName: "Ann", synopsis: "" },
  };
  const { document, losses } = encodeEnvelope(
    {
      schema: { version: "1.1.0" },
      conversation: { id: "c1", conversants: [{ identification, ...{ persistentState: 1, x: 2 } }] },
      sender: { speakerUri: "urn:ann" },
      events: [],
    },
    "1.0",
  );
  expect(document).toMatchObject({ openFloor: { conversation: { conversants: [{ identification, x: 2 }] } } });
  expect(losses.map(({ path }) => path)).toEqual(["/openFloor/conversation/conversants/0/persistentState"]);
});
