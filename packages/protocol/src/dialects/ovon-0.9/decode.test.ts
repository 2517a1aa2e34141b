import { expect, test } from "vitest";
import { parseEnvelope } from "../../parse/parse.ts";
import type { Peers } from "../dialect.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };

const document = {
  schema: { version: "0.9.3" },
  conversation: { id: "c1" },
  sender: { from: "https://a.example" },
  events: [{ eventType: "bye" }],
};

const pharmacy: Peers = {
  speakerUriOf: (serviceUrl) => (serviceUrl === "https://a.example" ? "tag:a.example,2025:a" : undefined),
  serviceUrlOf: () => undefined,
};

function read(parts: object, peers?: Peers) {
  const text = JSON.stringify({ ovon: { ...document, ...parts } });
  const parsed = parseEnvelope(text, { ...mint, ...(peers && { peers }) });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed;
}

test("a correct document gives no issue, and an envelope of 1.1.0", () => {
  expect(read({})).toEqual({
    ok: true,
    dialect: "0.9",
    version: "0.9.3",
    issues: [],
    losses: [],
    carried: {},
    leftOut: [],
    envelope: {
      schema: { version: "1.1.0" },
      conversation: { id: "c1" },
      sender: { speakerUri: "https://a.example", serviceUrl: "https://a.example" },
      events: [{ eventType: "bye" }],
    },
  });
});

test("the schema url becomes that of 1.1.0", () => {
  const { envelope } = read({ schema: { version: "0.9.2", url: "https://x.example/0.9.2/schema.json" } });
  expect(envelope.schema.url).toMatch(/conversation-envelope\/1\.1\.0\/conversation-envelope-schema\.json$/);
});

test("responseCode is dropped in both its forms, and that is a loss", () => {
  for (const responseCode of [200, { code: 200, description: "Success!" }]) {
    const { envelope, issues, losses } = read({ responseCode });
    expect([envelope, issues, losses]).toEqual([
      read({}).envelope,
      [],
      [{ path: "/ovon/responseCode", why: expect.any(String) }],
    ]);
  }
});

test("persistentState is returned to the caller and is not part of the envelope", () => {
  const persistentState = { "www.cassandra.com:1": { step: 2 } };
  const { envelope, carried, issues } = read({ conversation: { id: "c1", persistentState } });
  expect([envelope.conversation, carried, issues]).toEqual([{ id: "c1" }, { persistentState }, []]);
});

test("persistent_state, the spelling of the schema, is read as persistentState with a warning", () => {
  const { carried, issues } = read({ conversation: { id: "c1", persistent_state: { k: {} } } });
  expect(carried).toEqual({ persistentState: { k: {} } });
  expect(issues).toMatchObject([{ path: "/ovon/conversation/persistent_state", severity: "warning" }]);
});

test("the speakerUri at an address comes from the peers", () => {
  expect(read({}, pharmacy).envelope.sender).toEqual({
    speakerUri: "tag:a.example,2025:a",
    serviceUrl: "https://a.example",
  });
});

test("a sender that publishes its manifest gets the speakerId of that manifest", () => {
  const identification = { organization: "A", conversationalName: "Ann", synopsis: "", speakerId: "urn:ann" };
  const publish = (serviceEndpoint: string) => ({
    eventType: "publishManifest",
    parameters: { manifest: { identification: { ...identification, serviceEndpoint }, capabilities: [] } },
  });
  const speakerUri = (events: object[]) => read({ events }).envelope.sender.speakerUri;
  const other = publish("https://a.example");
  other.parameters.manifest.identification.speakerId = "urn:bob";
  expect(speakerUri([publish("https://a.example")])).toBe("urn:ann");
  expect(speakerUri([publish("https://a.example"), other])).toBe("https://a.example");
  expect(speakerUri([publish("https://other.example")])).toBe("https://a.example");
});

test("a sender whose `from` is no URL has no serviceUrl", () => {
  const { envelope, issues } = read({ sender: { from: "tag:a.example,2025:a" } });
  expect([envelope.sender, issues]).toEqual([{ speakerUri: "tag:a.example,2025:a" }, []]);
});

test("`replyTo` and `to` of the sender are dropped, and both are losses", () => {
  const { envelope, losses } = read({
    sender: { from: "https://a.example", to: "https://b.example", replyTo: "https://c.example" },
  });
  expect(envelope.sender).toEqual(read({}).envelope.sender);
  expect(losses.map(({ path }) => path)).toEqual(["/ovon/sender/to", "/ovon/sender/replyTo"]);
});

test("unspecified keys are kept", () => {
  const { envelope, issues } = read({
    schema: { version: "0.9.3", x: 1 },
    conversation: { id: "c1", x: 2 },
    sender: { from: "https://a.example", x: 3 },
    events: [{ eventType: "bye", x: 4 }],
    x: 5,
  });
  expect(envelope).toMatchObject({
    schema: { x: 1 },
    conversation: { x: 2 },
    sender: { x: 3 },
    events: [{ x: 4 }],
    x: 5,
  });
  expect(issues).toEqual([]);
});

test("keys that have a meaning only in Open Floor are left out with a warning", () => {
  const { envelope, issues } = read({
    conversation: { id: "c1", conversants: "me", assignedFloorRoles: 1, floorGranted: 1, currentRoles: 1 },
    sender: { from: "https://a.example", speakerUri: 7, serviceUrl: 7 },
    events: [{ eventType: "bye", reason: { code: 1 } }],
  });
  expect(envelope).toEqual(read({}).envelope);
  expect(issues.map(({ path, severity }) => [path, severity])).toEqual([
    ["/ovon/conversation/conversants", "warning"],
    ["/ovon/conversation/assignedFloorRoles", "warning"],
    ["/ovon/conversation/floorGranted", "warning"],
    ["/ovon/conversation/currentRoles", "warning"],
    ["/ovon/sender/speakerUri", "warning"],
    ["/ovon/sender/serviceUrl", "warning"],
    ["/ovon/events/0/reason", "warning"],
  ]);
});
