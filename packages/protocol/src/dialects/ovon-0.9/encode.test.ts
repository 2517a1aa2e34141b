import { expect, test } from "vitest";
import type { Envelope } from "../../model/envelope.ts";
import type { Carried, Peers } from "../dialect.ts";
import { encodeEnvelope } from "../encode.ts";

const envelope: Envelope = {
  schema: { version: "1.1.0" },
  conversation: { id: "c1" },
  sender: { speakerUri: "urn:ann" },
  events: [],
};

function write(parts: Partial<Envelope>, options: { peers?: Peers; carried?: Carried } = {}) {
  const { document, losses } = encodeEnvelope({ ...envelope, ...parts }, "0.9", options);
  return { ovon: document.ovon, losses, paths: losses.map(({ path }) => path) };
}

test("an envelope is written under the root key ovon, as 0.9.3", () => {
  expect(write({})).toMatchObject({
    ovon: {
      schema: { version: "0.9.3" },
      conversation: { id: "c1" },
      sender: { from: "urn:ann" },
      events: [],
    },
    losses: [],
  });
});

test("the schema url is that of 0.9.3, and another url is a loss", () => {
  const url = "https://own.example/schema.json";
  const { ovon, paths } = write({ schema: { version: "1.1.0", url } });
  expect(ovon).toMatchObject({ schema: { url: expect.stringContaining("/conversation-envelope/0.9.3/") } });
  expect(paths).toEqual(["/openFloor/schema/url"]);
});

test("`from` is the serviceUrl; the speakerUri is a loss unless the peers know it", () => {
  const sender = { speakerUri: "urn:ann", serviceUrl: "https://a.example" };
  const peers: Peers = { speakerUriOf: () => "urn:ann", serviceUrlOf: () => undefined };
  expect(write({ sender })).toMatchObject({
    ovon: { sender: { from: "https://a.example" } },
    paths: ["/openFloor/sender/speakerUri"],
  });
  expect(write({ sender }, { peers }).losses).toEqual([]);
});

test("conversants, roles and floorGranted are losses", () => {
  const identification = {
    ...{ speakerUri: "urn:ann", serviceUrl: "https://a.example" },
    ...{ organization: "A", conversationalName: "Ann", synopsis: "" },
  };
  const { ovon, paths } = write({
    conversation: {
      id: "c1",
      conversants: [{ identification }],
      assignedFloorRoles: { convener: ["urn:ann"] },
      floorGranted: ["urn:ann"],
    },
  });
  expect(ovon).toMatchObject({ conversation: { id: "c1" } });
  expect(Object.keys((ovon as { conversation: object }).conversation)).toEqual(["id"]);
  expect(paths).toEqual([
    "/openFloor/conversation/conversants",
    "/openFloor/conversation/assignedFloorRoles",
    "/openFloor/conversation/floorGranted",
  ]);
});

test("the persistentState of 0.9 agents is written back", () => {
  const persistentState = { "www.cassandra.com:1": { step: 2 } };
  expect(write({}, { carried: { persistentState } }).ovon).toMatchObject({ conversation: { persistentState } });
});

test("unspecified keys are kept, unless they have a meaning in 0.9", () => {
  const { ovon, paths } = write({
    ...({ x: 1, responseCode: "x" } as object),
    sender: { speakerUri: "urn:ann", ...{ x: 2, from: "x" } },
    conversation: { id: "c1", ...{ x: 3, persistentState: "x" } },
  });
  expect(ovon).toEqual({
    schema: { version: "0.9.3" },
    conversation: { id: "c1", x: 3 },
    sender: { from: "urn:ann", x: 2 },
    events: [],
    x: 1,
  });
  expect(paths.sort()).toEqual([
    "/openFloor/conversation/persistentState",
    "/openFloor/responseCode",
    "/openFloor/sender/from",
  ]);
});
