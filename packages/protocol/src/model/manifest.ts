import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { type Deviation, Dictionary, missing, type Note, renamed } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { languagePattern, looseLanguage, uri, url } from "./patterns.ts";
import { ownManifest } from "./sender-deviations.ts";

// Our choice (spec-notes): a conversant with only an address is named by its address.
const namedByAddress: Deviation = {
  rule: "identification-speaker-uri",
  key: "speakerUri",
  says: "it is missing (the serviceUrl stands in)",
  is: (value) => isRecord(value) && value.speakerUri === undefined && typeof value.serviceUrl === "string",
  repair: (value) => ({ ...(value as object), speakerUri: (value as { serviceUrl: string }).serviceUrl }),
  severity: "error",
};

const mandatoryText = (rule: RuleId) =>
  Type.String({ note: { rule, known: [missing(rule, () => "")], otherwise: () => "" } satisfies Note });

const optionalText = (rule: RuleId) => Type.Optional(Type.String({ note: { rule } satisfies Note }));

const identificationKeys = {
  speakerUri: uri("identification-speaker-uri"),
  organization: mandatoryText("identification-organization"),
  conversationalName: mandatoryText("identification-conversational-name"),
  synopsis: mandatoryText("identification-synopsis"),
  department: optionalText("identification-department"),
  role: optionalText("identification-role"),
  openFloorRoles: Type.Optional(
    Dictionary(Type.Boolean({ note: { rule: "open-floor-roles" } satisfies Note }), {
      note: { rule: "open-floor-roles" } satisfies Note,
    }),
  ),
};

const identificationNote: Note = {
  rule: "identification",
  known: [
    ownManifest,
    renamed("serviceEndpoint", "serviceUrl", "identification-service-url"),
    renamed("serviceName", "department", "identification-service-name"),
    namedByAddress,
  ],
};

/** Manifest 1.6: who the agent is. `speakerUri` is its identity, `serviceUrl` its address. */
export const Identification = Type.Object(
  { ...identificationKeys, serviceUrl: url("identification-service-url") },
  { dependentRequired: { serviceName: ["department"] }, note: identificationNote },
);
export type Identification = Type.Static<typeof Identification>;

/** The identification of a conversant in an envelope: the schema allows no further keys, and people may have no address. */
export const ConversantIdentification = Type.Object(
  {
    ...identificationKeys,
    serviceUrl: url("identification-service-url", {
      otherwise: (value) => (typeof value === "string" ? value : ""),
    }),
  },
  {
    additionalProperties: false,
    note: { ...identificationNote, otherKeys: "conversant-identification-keys" } satisfies Note,
  },
);

const textList = (rule: RuleId) =>
  Type.Array(Type.String({ note: { rule } satisfies Note }), { note: { rule, otherwise: listOf } satisfies Note });

function listOf(value: unknown): unknown {
  return typeof value === "string" ? [value] : [];
}

// Manifest 0.9.0 had one list for both directions; samples of later versions still have it.
const oneListOfLayers: Deviation = {
  rule: "supported-layers",
  says: "this is one list (taken for both)",
  is: (value) => Array.isArray(value),
  repair: (value) => ({ input: value, output: value }),
};

/** Manifest 1.7: one set of abilities that go together. */
export const Capability = Type.Object(
  {
    keyphrases: textList("keyphrases"),
    descriptions: textList("descriptions"),
    languages: Type.Optional(
      Type.Array(
        Type.String({
          pattern: languagePattern,
          note: { rule: "languages", known: [looseLanguage("languages")] } satisfies Note,
        }),
        { note: { rule: "languages" } satisfies Note },
      ),
    ),
    supportedLayers: Type.Optional(
      Type.Object(
        { input: textList("supported-layers-input"), output: textList("supported-layers-output") },
        { note: { rule: "supported-layers", known: [oneListOfLayers] } satisfies Note },
      ),
    ),
  },
  { note: { rule: "capability" } satisfies Note },
);
export type Capability = Type.Static<typeof Capability>;

const oneCapability: Deviation = {
  rule: "capabilities",
  says: "this is a single one",
  is: isRecord,
  repair: (value) => [value],
};

export const capabilitiesNote: Note = { rule: "capabilities", known: [oneCapability], otherwise: () => [] };

const manifestKeys = {
  identification: Identification,
  capabilities: Type.Array(Capability, { note: capabilitiesNote }),
};

/** An agent's manifest: its identification and its capabilities. */
export const Manifest = Type.Object(manifestKeys, { note: { rule: "manifest" } satisfies Note });
export type Manifest = Type.Static<typeof Manifest>;

const percent: Deviation = {
  rule: "score",
  says: "this is a percentage",
  is: (value) => typeof value === "number" && value > 1 && value <= 100,
  repair: (value) => Number(value) / 100,
};

/** Spec 1.18: a manifest in a recommendation may carry a score. */
export const ScoredManifest = Type.Object(
  {
    ...manifestKeys,
    score: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, note: { rule: "score", known: [percent] } satisfies Note }),
    ),
  },
  { note: { rule: "manifest" } satisfies Note },
);
export type ScoredManifest = Type.Static<typeof ScoredManifest>;
