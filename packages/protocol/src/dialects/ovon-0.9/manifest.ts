// Manifest 0.9.0 and 0.9.1. The address is `serviceEndpoint`, the identity (if any) `speakerId`, the department
// `serviceName` until 0.9.0, and one list of layers stands for both directions. A proposed manifest may be partial, and its
// score goes up to 100.
// Lost going up: serviceName beside department. Lost going down: openFloorRoles, the difference between the layers that go
// in and out, a score finer than a hundredth, and what speaker-id.ts says.
import * as Type from "typebox";
import { isRecord } from "../../is-record.ts";
import { Capability, capabilitiesNote, Identification, type ScoredManifest } from "../../model/manifest.ts";
import { url } from "../../model/patterns.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import { type Deviation, missing, type Note, renamed, type Shape, shapeOf } from "../../repair/shape.ts";
import type { TranslationContext } from "../dialect.ts";
import { lose, withoutTaken } from "../losses.ts";
import { later } from "./later-keys.ts";
import { fromSpeakerId, speakerIdFor } from "./speaker-id.ts";

const { organization, conversationalName, synopsis, department, role } = Identification.properties;

const agentKeys = {
  serviceEndpoint: url("ovon-service-endpoint"),
  speakerId: Type.Optional(Type.String({ minLength: 1, note: { rule: "ovon-manifest-speaker-id" } satisfies Note })),
  serviceName: Type.Optional(Type.String({ note: { rule: "ovon-service-name" } satisfies Note })),
  department,
  role,
};

const identificationNote: Note = {
  rule: "ovon-identification",
  known: [
    renamed("url", "serviceEndpoint", "ovon-service-endpoint"),
    renamed("serviceUrl", "serviceEndpoint", "ovon-service-endpoint"),
    renamed("speakerUri", "speakerId", "ovon-manifest-speaker-id"),
    later("serviceUrl"),
    later("speakerUri"),
    later("openFloorRoles"),
  ],
};

// Envelope 0.9.3, section 1.18: a proposed assistant needs only an address and a synopsis.
const ProposedIdentification = Type.Object(
  {
    ...agentKeys,
    organization: Type.Optional(organization),
    conversationalName: Type.Optional(conversationalName),
    synopsis: Type.String({
      note: {
        rule: "ovon-proposal-synopsis",
        known: [missing("ovon-proposal-synopsis", () => "")],
        otherwise: () => "",
      } satisfies Note,
    }),
  },
  { note: identificationNote },
);

const PublishedIdentification = Type.Object(
  { ...agentKeys, organization, conversationalName, synopsis: Type.Optional(synopsis) },
  { note: identificationNote },
);
export type OvonIdentification = Type.Static<typeof PublishedIdentification>;

type Layers = { input: string[]; output: string[] };

const { supportedLayers: bothWays, ...abilities } = Capability.properties;
const oneList = Type.Array(Type.String({ note: { rule: "ovon-supported-layers" } satisfies Note }), {
  note: { rule: "ovon-supported-layers" } satisfies Note,
});

// Manifest 0.9.1 tells the two directions apart already.
const layersShape = (value: unknown): Shape => shapeOf(isRecord(value) ? bothWays : oneList);

const OvonCapability = Type.Object(
  {
    ...abilities,
    supportedLayers: Type.Optional(
      Type.Unsafe<string[] | Layers>({ note: { rule: "ovon-supported-layers", choose: layersShape } satisfies Note }),
    ),
  },
  { note: { rule: "capability" } satisfies Note },
);
type OvonCapability = Type.Static<typeof OvonCapability>;

const capabilities = Type.Array(OvonCapability, { note: capabilitiesNote });

const fraction: Deviation = {
  rule: "ovon-score",
  says: "this is a fraction",
  is: (value) => typeof value === "number" && value > 0 && value < 1,
  repair: (value) => Number(value) * 100,
};

const notWhole: Deviation = {
  rule: "ovon-score",
  says: "this one is not whole",
  is: (value) => typeof value === "number" && value > 1 && value < 100 && !Number.isInteger(value),
  repair: (value) => value,
  severity: "error",
};

const score = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 100,
    note: { rule: "ovon-score", known: [notWhole, fraction] } satisfies Note,
  }),
);

export const OvonManifest = Type.Object(
  { identification: PublishedIdentification, capabilities, score },
  { note: { rule: "ovon-manifest" } satisfies Note },
);

export const ProposedManifest = Type.Object(
  { identification: ProposedIdentification, capabilities: Type.Optional(capabilities), score },
  { note: { rule: "ovon-proposal" } satisfies Note },
);

export type OvonManifest = Type.Static<typeof OvonManifest> | Type.Static<typeof ProposedManifest>;

export function fromOvonManifest(
  manifest: OvonManifest,
  at: JsonPath,
  { peers, losses }: TranslationContext,
): ScoredManifest {
  const { identification, capabilities = [], score, ...others } = manifest;
  const place = { up: at, key: "identification" };
  return {
    ...others,
    identification: fromIdentification(identification, place, { peers, losses }),
    capabilities: capabilities.map(fromCapability),
    ...(score !== undefined && { score: score / 100 }),
  };
}

function fromIdentification(
  identification: OvonManifest["identification"],
  at: JsonPath,
  { peers, losses }: TranslationContext,
): Identification {
  const { serviceEndpoint, speakerId, serviceName, department = serviceName, ...others } = identification;
  if (serviceName !== undefined && serviceName !== department) {
    lose(losses, at, ["serviceName"], "serviceName has become department, and one is given already");
  }
  const { organization = "", conversationalName = "", synopsis = "", ...rest } = others;
  return {
    ...rest,
    organization,
    conversationalName,
    synopsis,
    ...(department !== undefined && { department }),
    serviceUrl: serviceEndpoint,
    speakerUri:
      speakerId === undefined
        ? (peers.speakerUriOf(serviceEndpoint) ?? serviceEndpoint)
        : fromSpeakerId(speakerId, peers),
  };
}

function fromCapability({ supportedLayers, ...others }: OvonCapability): Capability {
  if (supportedLayers === undefined) return others;
  if (!Array.isArray(supportedLayers)) return { ...others, supportedLayers };
  return { ...others, supportedLayers: { input: supportedLayers, output: supportedLayers } };
}

export function toOvonManifest(manifest: ScoredManifest, at: JsonPath, { peers, losses }: TranslationContext) {
  const { identification, capabilities, score, ...others } = manifest;
  const percent = score === undefined ? undefined : Math.round(score * 100);
  if (percent !== undefined && percent / 100 !== score) {
    lose(losses, at, ["score"], "0.9 scores in whole hundredths");
  }
  const list = { up: at, key: "capabilities" };
  return {
    ...others,
    identification: toIdentification(identification, { up: at, key: "identification" }, { peers, losses }),
    capabilities: capabilities.map((capability, index) => toCapability(capability, { up: list, key: index }, losses)),
    ...(percent !== undefined && { score: percent }),
  };
}

function toIdentification(
  identification: Identification,
  at: JsonPath,
  { peers, losses }: TranslationContext,
): OvonIdentification {
  const { speakerUri, serviceUrl, organization, conversationalName, synopsis, role, ...more } = identification;
  const { department, openFloorRoles, ...others } = more;
  const speakerId = speakerIdFor(speakerUri, at, { peers, losses });
  if (openFloorRoles !== undefined) lose(losses, at, ["openFloorRoles"], "manifests of 0.9 have no openFloorRoles");
  return {
    ...withoutTaken(others, ["serviceEndpoint", "speakerId", "serviceName"], at, losses),
    serviceEndpoint: serviceUrl,
    speakerId,
    organization,
    conversationalName,
    synopsis,
    ...(department !== undefined && { serviceName: department }),
    ...(role !== undefined && { role }),
  };
}

function toCapability(capability: Capability, at: JsonPath, losses: Loss[]): OvonCapability {
  const { supportedLayers, ...others } = capability;
  if (supportedLayers === undefined) return others;
  const { input, output, ...more } = supportedLayers;
  const union = [...new Set([...input, ...output])];
  for (const [key, layers] of Object.entries({ input, output })) {
    if (layers.length === union.length && layers.every((layer, index) => layer === union[index])) continue;
    lose(losses, at, ["supportedLayers", key], "0.9 has one list of layers for both directions");
  }
  for (const key of Object.keys(more)) {
    lose(losses, at, ["supportedLayers", key], "in 0.9 the layers are a list and have no keys");
  }
  return { ...others, supportedLayers: union };
}
