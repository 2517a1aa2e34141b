import type { RuleId } from "@plenary/protocol";
import { manifest } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const who = "/identification";
const what = "/capabilities/0";

const mandatory: readonly (readonly [string, RuleId])[] = [
  ["organization", "identification-organization"],
  ["conversationalName", "identification-conversational-name"],
  ["synopsis", "identification-synopsis"],
];

const mandatoryTexts = mandatory.flatMap(([key, rule]): NegativeCase[] => [
  { name: `a manifest without ${key} is kept`, rule, ...warned, ...drop(manifest, `${who}/${key}`) },
  { name: `${key} is no number`, rule, ...repairedError, ...set(manifest, `${who}/${key}`, 5) },
  { name: `${key} is not null`, rule, ...repairedError, ...set(manifest, `${who}/${key}`, null) },
]);

const identificationCases: readonly NegativeCase[] = [
  {
    name: "an identification that is a string is unusable",
    rule: "identification",
    ...refused,
    ...set(manifest, who, "Bot"),
  },
  {
    name: "an identification that is null is unusable",
    rule: "identification",
    ...refused,
    ...set(manifest, who, null),
  },
  {
    name: "a manifest without speakerUri is named by its address",
    rule: "identification-speaker-uri",
    ...repairedError,
    ...drop(manifest, `${who}/speakerUri`),
  },
  {
    name: "a speakerUri in a manifest is no number",
    rule: "identification-speaker-uri",
    ...refused,
    ...set(manifest, `${who}/speakerUri`, 1),
  },
  {
    name: "a speakerUri in a manifest is not empty",
    rule: "identification-speaker-uri",
    ...refused,
    ...set(manifest, `${who}/speakerUri`, ""),
  },
  {
    name: "a speakerUri in a manifest that is no URI is kept as a name",
    rule: "identification-speaker-uri",
    ...warned,
    ...set(manifest, `${who}/speakerUri`, "Bot"),
  },
  {
    name: "a manifest has an address",
    rule: "identification-service-url",
    ...refused,
    ...drop(manifest, `${who}/serviceUrl`),
  },
  {
    name: "the address in a manifest has a scheme",
    rule: "identification-service-url",
    ...refused,
    ...set(manifest, `${who}/serviceUrl`, "bot.example/floor"),
  },
  {
    name: "the address in a manifest is no number",
    rule: "identification-service-url",
    ...refused,
    ...set(manifest, `${who}/serviceUrl`, 8080),
  },
  {
    name: "blanks around the address in a manifest are cut",
    rule: "identification-service-url",
    ...warned,
    ...set(manifest, `${who}/serviceUrl`, " https://bot.example/floor"),
  },
  {
    name: "a department is no number",
    rule: "identification-department",
    ...repairedError,
    ...set(manifest, `${who}/department`, 5),
  },
  {
    name: "a department is not null",
    rule: "identification-department",
    ...repairedError,
    ...set(manifest, `${who}/department`, null),
  },
  {
    name: "serviceName is read as department",
    rule: "identification-service-name",
    ...warned,
    ...set(manifest, `${who}/serviceName`, "Passport Office"),
  },
  {
    name: "a role is no list",
    rule: "identification-role",
    ...repairedError,
    ...set(manifest, `${who}/role`, ["Clerk"]),
  },
  {
    name: "open floor roles are no list",
    rule: "open-floor-roles",
    ...repairedError,
    ...set(manifest, `${who}/openFloorRoles`, ["convener"]),
  },
  {
    name: "open floor roles are no string",
    rule: "open-floor-roles",
    ...repairedError,
    ...set(manifest, `${who}/openFloorRoles`, "convener"),
  },
  {
    name: "an open floor role is true or false",
    rule: "open-floor-roles",
    path: `${who}/openFloorRoles/convener`,
    ...repairedError,
    document: set(manifest, `${who}/openFloorRoles`, { convener: "True" }).document,
  },
];

const capabilityCases: readonly NegativeCase[] = [
  { name: "a manifest has capabilities", rule: "capabilities", ...repairedError, ...drop(manifest, "/capabilities") },
  {
    name: "capabilities are no string",
    rule: "capabilities",
    ...repairedError,
    ...set(manifest, "/capabilities", "questions"),
  },
  {
    name: "capabilities are not null",
    rule: "capabilities",
    ...repairedError,
    ...set(manifest, "/capabilities", null),
  },
  {
    name: "a single capability is put into a list",
    rule: "capabilities",
    ...warned,
    ...set(manifest, "/capabilities", manifest.capabilities[0]),
  },
  { name: "a capability is an object", rule: "capability", ...repairedError, ...set(manifest, what, "questions") },
  { name: "a capability is no list", rule: "capability", ...repairedError, ...set(manifest, what, ["questions"]) },
  {
    name: "a capability has keyphrases",
    rule: "keyphrases",
    ...repairedError,
    ...drop(manifest, `${what}/keyphrases`),
  },
  {
    name: "keyphrases are a list",
    rule: "keyphrases",
    ...repairedError,
    ...set(manifest, `${what}/keyphrases`, "questions"),
  },
  {
    name: "a keyphrase is a string",
    rule: "keyphrases",
    ...repairedError,
    ...set(manifest, `${what}/keyphrases/0`, 5),
  },
  {
    name: "a capability has descriptions",
    rule: "descriptions",
    ...repairedError,
    ...drop(manifest, `${what}/descriptions`),
  },
  {
    name: "descriptions are a list",
    rule: "descriptions",
    ...repairedError,
    ...set(manifest, `${what}/descriptions`, "answers"),
  },
  {
    name: "a description is a string",
    rule: "descriptions",
    ...repairedError,
    ...set(manifest, `${what}/descriptions/0`, null),
  },
  { name: "languages are a list", rule: "languages", ...repairedError, ...set(manifest, `${what}/languages`, "en-US") },
  {
    name: "a language of a capability is a tag",
    rule: "languages",
    ...repairedError,
    ...set(manifest, `${what}/languages/0`, "American English"),
  },
  {
    name: "a language of a capability is no number",
    rule: "languages",
    ...repairedError,
    ...set(manifest, `${what}/languages/0`, 1033),
  },
  {
    name: "a locale among the languages is understood",
    rule: "languages",
    ...warned,
    ...set(manifest, `${what}/languages/0`, "en_US"),
  },
  {
    name: "supported layers are no string",
    rule: "supported-layers",
    ...repairedError,
    ...set(manifest, `${what}/supportedLayers`, "text"),
  },
  {
    name: "supported layers are not null",
    rule: "supported-layers",
    ...repairedError,
    ...set(manifest, `${what}/supportedLayers`, null),
  },
  {
    name: "one list of layers is taken for both directions",
    rule: "supported-layers",
    ...warned,
    ...set(manifest, `${what}/supportedLayers`, ["text"]),
  },
  {
    name: "layers have an input",
    rule: "supported-layers-input",
    ...repairedError,
    ...drop(manifest, `${what}/supportedLayers/input`),
  },
  {
    name: "input layers are a list",
    rule: "supported-layers-input",
    ...repairedError,
    ...set(manifest, `${what}/supportedLayers/input`, "text"),
  },
  {
    name: "an input layer is a string",
    rule: "supported-layers-input",
    ...repairedError,
    ...set(manifest, `${what}/supportedLayers/input/0`, 1),
  },
  {
    name: "layers have an output",
    rule: "supported-layers-output",
    ...repairedError,
    ...drop(manifest, `${what}/supportedLayers/output`),
  },
  {
    name: "an output layer is a string",
    rule: "supported-layers-output",
    ...repairedError,
    ...set(manifest, `${what}/supportedLayers/output/1`, {}),
  },
];

export const manifestCases: readonly NegativeCase[] = [...identificationCases, ...mandatoryTexts, ...capabilityCases];
