import { expect, test } from "vitest";
import type { Envelope } from "../../model/envelope.ts";
import type { ScoredManifest } from "../../model/manifest.ts";
import { parseEnvelope } from "../../parse/parse.ts";
import type { Peers } from "../dialect.ts";
import { encodeEnvelope } from "../encode.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };

function read(event: object, peers?: Peers) {
  const sender = { from: "https://a.example" };
  const ovon = { schema: { version: "0.9.3" }, conversation: { id: "c1" }, sender, events: [event] };
  const parsed = parseEnvelope(JSON.stringify({ ovon }), { ...mint, ...(peers && { peers }) });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { envelope, issues, losses } = parsed;
  return { event: envelope.events[0], issues, losses };
}

function write(parameters: { servicingManifests?: ScoredManifest[]; discoveryManifests?: ScoredManifest[] }) {
  const envelope: Envelope = {
    schema: { version: "1.1.0" },
    conversation: { id: "c1" },
    sender: { speakerUri: "urn:finder" },
    events: [{ eventType: "publishManifests", parameters }],
  };
  const { document, losses } = encodeEnvelope(envelope, "0.9");
  const { events } = document.ovon as { events: { eventType: string; parameters: unknown }[] };
  return { ...events[0], losses };
}

const estonia = {
  serviceEndpoint: "https://dev.example/ovon",
  organization: "Government of Estonia",
  conversationalName: "Buerokratt",
  serviceName: "Passport Office",
  synopsis: "Immigration specialist.",
};
const estoniaNow = {
  speakerUri: "https://dev.example/ovon",
  serviceUrl: "https://dev.example/ovon",
  organization: "Government of Estonia",
  conversationalName: "Buerokratt",
  department: "Passport Office",
  synopsis: "Immigration specialist.",
};
const visa = { keyphrases: ["visa"], descriptions: ["travel"], languages: ["en-us"] };
const publish = (manifest: object) => ({ eventType: "publishManifest", parameters: { manifest } });

test("publishManifest is read as publishManifests with one servicing manifest and the new key names", () => {
  const capabilities = [{ ...visa, supportedLayers: ["text"] }];
  expect(read(publish({ identification: estonia, capabilities }))).toEqual({
    event: {
      eventType: "publishManifests",
      parameters: {
        servicingManifests: [
          {
            identification: estoniaNow,
            capabilities: [{ ...visa, supportedLayers: { input: ["text"], output: ["text"] } }],
          },
        ],
      },
    },
    issues: [],
    losses: [],
  });
});

const identificationIn = (identification: object, peers?: Peers) => {
  const { event, issues } = read(publish({ identification, capabilities: [] }), peers);
  if (event?.eventType !== "publishManifests") throw new Error("no manifests");
  return { identification: event.parameters?.servicingManifests?.[0]?.identification, issues };
};

test("the speakerUri is the speakerId, or else the one that peers know, or else the address", () => {
  const peers: Peers = { speakerUriOf: () => "urn:known", serviceUrlOf: () => undefined };
  expect(identificationIn({ ...estonia, speakerId: "urn:own" }, peers).identification?.speakerUri).toBe("urn:own");
  expect(identificationIn(estonia, peers).identification?.speakerUri).toBe("urn:known");
  expect(identificationIn(estonia).identification?.speakerUri).toBe("https://dev.example/ovon");
});

test("url and serviceUrl are read as serviceEndpoint with a warning", () => {
  const { serviceEndpoint, ...others } = estonia;
  for (const key of ["url", "serviceUrl"]) {
    const { identification, issues } = identificationIn({ ...others, [key]: serviceEndpoint });
    expect(identification).toEqual(estoniaNow);
    expect(issues).toMatchObject([
      { path: `/ovon/events/0/parameters/manifest/identification/${key}`, severity: "warning" },
    ]);
  }
});

test("department and layers with two directions, as in manifest 0.9.1, give no issue", () => {
  const { serviceName: department, ...others } = estonia;
  const supportedLayers = { input: ["text"], output: ["audio"] };
  const manifest = { identification: { ...others, department }, capabilities: [{ ...visa, supportedLayers }] };
  const { event, issues } = read(publish(manifest));
  expect(event).toMatchObject({
    parameters: { servicingManifests: [{ identification: estoniaNow, capabilities: [{ supportedLayers }] }] },
  });
  expect(issues).toEqual([]);
});

test("a single capability is read as a list of one, and unspecified keys are kept", () => {
  const manifest = { identification: { ...estonia, character: "calm" }, capabilities: visa, x: 1 };
  const { event, issues } = read(publish(manifest));
  expect(event).toMatchObject({
    parameters: {
      servicingManifests: [{ identification: { ...estoniaNow, character: "calm" }, capabilities: [visa], x: 1 }],
    },
  });
  expect(issues).toMatchObject([{ severity: "warning", rule: "capabilities" }]);
});

test("openFloorRoles, a later key, are left out with a warning", () => {
  const { identification, issues } = identificationIn({ ...estonia, openFloorRoles: "junk" });
  expect(identification).toEqual(estoniaNow);
  expect(issues).toMatchObject([{ rule: "ovon-later-keys", severity: "warning" }]);
});

test("publishManifest without a manifest is read as publishManifests without one, with an error", () => {
  for (const event of [{ eventType: "publishManifest" }, publish({ identification: "x" })]) {
    const { event: read1, issues } = read(event);
    expect(read1).toEqual({ eventType: "publishManifests", parameters: {} });
    expect(issues.filter(({ severity, repaired }) => severity === "error" && repaired)).not.toEqual([]);
  }
});

const propose = (servicingManifests: object[], discoveryManifests: object[]) => ({
  eventType: "proposeAssistant",
  parameters: { servicingManifests, discoveryManifests },
});

test("proposeAssistant is read as publishManifests, with empty missing fields and scores from 0 to 1", () => {
  const identification = { serviceEndpoint: "https://b.example", synopsis: "Books." };
  const proposed = {
    identification: {
      speakerUri: "https://b.example",
      serviceUrl: "https://b.example",
      synopsis: "Books.",
      organization: "",
      conversationalName: "",
    },
    capabilities: [],
  };
  expect(read(propose([{ identification, score: 25 }], [{ identification }]))).toEqual({
    event: {
      eventType: "publishManifests",
      parameters: { servicingManifests: [{ ...proposed, score: 0.25 }], discoveryManifests: [proposed] },
    },
    issues: [],
    losses: [],
  });
});

test("a proposal outside of a list is an error and is read as a list of one", () => {
  const identification = { serviceEndpoint: "https://b.example", synopsis: "" };
  const parameters = { servicingManifests: { identification }, discoveryManifests: [] };
  const { event, issues } = read({ eventType: "proposeAssistant", parameters });
  expect(event).toMatchObject({
    parameters: { servicingManifests: [{ identification: { serviceUrl: "https://b.example" }, capabilities: [] }] },
  });
  expect(issues).toMatchObject([{ rule: "ovon-servicing-manifests", severity: "error", repaired: true }]);
});

test("a score below 1 is read as a fraction with a warning, and a score that is no integer is an error", () => {
  const identification = { serviceEndpoint: "https://b.example", synopsis: "" };
  const { event, issues } = read(
    propose(
      [
        { identification, score: 0.5 },
        { identification, score: 12.5 },
      ],
      [],
    ),
  );
  expect(event).toMatchObject({ parameters: { servicingManifests: [{ score: 0.5 }, { score: 0.125 }] } });
  expect(issues.map(({ severity }) => severity)).toEqual(["warning", "error"]);
});

test("an agent that recommends itself for discovery is left out of its list", () => {
  const { event, issues } = read(
    propose([], [{ identification: { serviceEndpoint: "https://a.example", synopsis: "" } }]),
  );
  expect(event).toMatchObject({ parameters: { discoveryManifests: [] } });
  expect(issues).toMatchObject([
    { path: "/ovon/events/0/parameters/discoveryManifests/0", rule: "ovon-discovery-not-self", repaired: true },
  ]);
});

const manifest: ScoredManifest = { identification: { ...estoniaNow, speakerUri: "urn:own" }, capabilities: [visa] };

test("one servicing manifest without a score is written as publishManifest", () => {
  expect(write({ servicingManifests: [manifest], discoveryManifests: [] })).toEqual({
    eventType: "publishManifest",
    parameters: { manifest: { identification: { ...estonia, speakerId: "urn:own" }, capabilities: [visa] } },
    losses: [],
  });
});

test("all other publishManifests are written as proposeAssistant, with both lists", () => {
  const eventTypes = [
    write({}),
    write({ servicingManifests: [manifest, manifest] }),
    write({ servicingManifests: [{ ...manifest, score: 0.5 }] }),
    write({ servicingManifests: [manifest], discoveryManifests: [manifest] }),
  ].map(({ eventType }) => eventType);
  expect(eventTypes).toEqual(Array(4).fill("proposeAssistant"));
  expect(write({}).parameters).toEqual({ servicingManifests: [], discoveryManifests: [] });
});

test("a score is written in hundredths, and lost precision is a loss", () => {
  const { parameters, losses } = write({
    servicingManifests: [
      { ...manifest, score: 0.29 },
      { ...manifest, score: 0.333 },
    ],
  });
  expect(parameters).toMatchObject({ servicingManifests: [{ score: 29 }, { score: 33 }] });
  expect(losses).toMatchObject([{ path: "/openFloor/events/0/parameters/servicingManifests/1/score" }]);
});

test("layers are written as one list, and different directions are a loss", () => {
  const supportedLayers = { input: ["text"], output: ["text", "audio"] };
  const { parameters, losses } = write({
    servicingManifests: [{ ...manifest, capabilities: [{ ...visa, supportedLayers }] }],
  });
  expect(parameters).toMatchObject({ manifest: { capabilities: [{ supportedLayers: ["text", "audio"] }] } });
  expect(losses.map(({ path }) => path)).toEqual([
    "/openFloor/events/0/parameters/servicingManifests/0/capabilities/0/supportedLayers/input",
  ]);
});

test("openFloorRoles are a loss", () => {
  const identification = { ...manifest.identification, openFloorRoles: { convener: true } };
  const { parameters, losses } = write({ servicingManifests: [{ ...manifest, identification }] });
  expect(JSON.stringify(parameters)).not.toContain("convener");
  expect(losses.map(({ path }) => path)).toEqual([
    "/openFloor/events/0/parameters/servicingManifests/0/identification/openFloorRoles",
  ]);
});

test("unspecified keys that have a meaning in manifests of 0.9 are a loss", () => {
  const { department: _, ...nowhere } = manifest.identification;
  const identification = { ...nowhere, serviceName: "x", serviceEndpoint: "y", speakerId: "z" };
  const { parameters, losses } = write({ servicingManifests: [{ ...manifest, identification }] });
  const { serviceName: __, ...written } = estonia;
  expect(parameters).toMatchObject({ manifest: { identification: { ...written, speakerId: "urn:own" } } });
  expect(JSON.stringify(parameters)).not.toContain("serviceName");
  expect(losses.map(({ path }) => path.split("/").at(-1))).toEqual(["serviceEndpoint", "speakerId", "serviceName"]);
});

test("a discovery manifest that 0.9 would read as the sender's own is not written", () => {
  const twin = { ...manifest, identification: { ...manifest.identification, speakerUri: "https://a.example" } };
  const envelope: Envelope = {
    schema: { version: "1.1.0" },
    conversation: { id: "c1" },
    sender: { speakerUri: "urn:finder", serviceUrl: "https://a.example" },
    events: [{ eventType: "publishManifests", parameters: { discoveryManifests: [twin, manifest] } }],
  };
  const { document, losses } = encodeEnvelope(envelope, "0.9");
  expect(document).toMatchObject({
    ovon: { events: [{ parameters: { discoveryManifests: [{ identification: { speakerId: "urn:own" } }] } }] },
  });
  expect(losses.map(({ path }) => path)).toContain("/openFloor/events/0/parameters/discoveryManifests");
});
