// The check of the ideal sides: the shapes of Open Floor 1.1.0 in one schema, compiled by Ajv.
import { Ajv2020 } from "ajv/dist/2020.js";

const text = { type: "string" };
const texts = { type: "array", items: text };

const record = (properties, required = []) => ({ type: "object", properties, required });

const token = record({
  value: {},
  valueUrl: text,
  confidence: { type: "number", minimum: 0, maximum: 1 },
  links: texts,
});
const feature = record({ mimeType: text, lang: text, encoding: text, tokens: { type: "array", items: token } }, [
  "mimeType",
  "tokens",
]);
const span = record({ startTime: text, startOffset: text, endTime: text, endOffset: text });
const dialogEvent = record(
  { id: text, speakerUri: text, previousId: text, context: text, span, features: mapOf(feature) },
  ["speakerUri", "span", "features"],
);
const identification = record(
  Object.fromEntries(
    ["speakerUri", "serviceUrl", "organization", "conversationalName", "department", "role", "synopsis"].map((name) => [
      name,
      text,
    ]),
  ),
  ["speakerUri", "serviceUrl", "organization", "conversationalName", "synopsis"],
);
const conversation = record(
  {
    id: text,
    floorGranted: texts,
    assignedFloorRoles: mapOf(texts),
    conversants: { type: "array", items: record({ identification }) },
  },
  ["id"],
);
const to = record({ speakerUri: text, serviceUrl: text, private: { type: "boolean" } });
const bareTypes = ["uninvite", "acceptInvite", "declineInvite", "bye", "getManifests", "publishManifests"];
const floorTypes = ["requestFloor", "grantFloor", "revokeFloor", "yieldFloor"];
const event = {
  ...record({ eventType: { enum: ["utterance", "invite", ...bareTypes, ...floorTypes] }, to, reason: text }, [
    "eventType",
  ]),
  allOf: [
    parametersOf("utterance", { ...record({ dialogEvent }), additionalProperties: false }),
    parametersOf("invite", record({ dialogHistory: { type: "array", items: dialogEvent } })),
    ...floorTypes.map((name) => parametersOf(name, { type: "object", maxProperties: 0 })),
  ],
};
const envelope = record(
  {
    schema: record({ version: text, url: text }, ["version"]),
    conversation,
    sender: record({ speakerUri: text, serviceUrl: text }, ["speakerUri"]),
    events: { type: "array", items: event },
  },
  ["schema", "conversation", "sender", "events"],
);

function mapOf(schema) {
  return { type: "object", additionalProperties: schema };
}

function parametersOf(eventType, parameters) {
  const isOfType = record({ eventType: { const: eventType } }, ["eventType"]);
  return { anyOf: [{ not: isOfType }, record({ parameters })] };
}

export const isEnvelope = new Ajv2020({ strict: false }).compile(record({ openFloor: envelope }, ["openFloor"]));
