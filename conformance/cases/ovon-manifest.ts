import { ovon, ovonManifest, ovonPropose, ovonPublish } from "../bases.ts";
import { drop, type Flaw, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const here = "/ovon/events/0/parameters";
const servicing = `${here}/servicingManifests`;
const discovery = `${here}/discoveryManifests`;
const who = "/identification";
const layers = "/capabilities/0/supportedLayers";

const eventCases: readonly NegativeCase[] = [
  {
    name: "publishManifest takes no other parameter",
    rule: "ovon-publish-manifest-parameters",
    ...repairedError,
    ...set(ovonPublish, `${here}/urgent`, true),
  },
  {
    name: "publishManifest has a manifest",
    rule: "ovon-manifest",
    path: here,
    ...repairedError,
    document: drop(ovonPublish, `${here}/manifest`).document,
  },
  {
    name: "a published manifest is an object",
    rule: "ovon-manifest",
    ...repairedError,
    ...set(ovonPublish, `${here}/manifest`, "Bot"),
  },
  {
    name: "proposeAssistant takes no other parameter",
    rule: "ovon-propose-assistant-parameters",
    ...repairedError,
    ...set(ovonPropose, `${here}/urgent`, true),
  },
  {
    name: "proposeAssistant has servicing manifests",
    rule: "ovon-servicing-manifests",
    ...repairedError,
    ...drop(ovonPropose, servicing),
  },
  {
    name: "old servicing manifests are no string",
    rule: "ovon-servicing-manifests",
    ...repairedError,
    ...set(ovonPropose, servicing, "none"),
  },
  {
    name: "proposeAssistant has discovery manifests",
    rule: "ovon-discovery-manifests",
    ...repairedError,
    ...drop(ovonPropose, discovery),
  },
  {
    name: "a proposed assistant is an object",
    rule: "ovon-proposal",
    ...repairedError,
    ...set(ovonPropose, `${servicing}/0`, "Bot"),
  },
  {
    name: "a proposed assistant has a synopsis",
    rule: "ovon-proposal-synopsis",
    ...warned,
    ...drop(ovonPropose, `${servicing}/0/identification/synopsis`),
  },
  {
    name: "the synopsis of a proposed assistant is no number",
    rule: "ovon-proposal-synopsis",
    ...repairedError,
    ...set(ovonPropose, `${servicing}/0/identification/synopsis`, 5),
  },
  {
    name: "a proposed assistant has an address",
    rule: "ovon-service-endpoint",
    ...repairedError,
    ...drop(ovonPropose, `${servicing}/0/identification/serviceEndpoint`),
  },
  {
    name: "an old score is at most 100",
    rule: "ovon-score",
    ...repairedError,
    ...set(ovonPropose, `${servicing}/0/score`, 101),
  },
  {
    name: "an old score is whole",
    rule: "ovon-score",
    ...repairedError,
    ...set(ovonPropose, `${servicing}/0/score`, 2.5),
  },
  {
    name: "an old score below 1 is a fraction",
    rule: "ovon-score",
    ...warned,
    ...set(ovonPropose, `${servicing}/0/score`, 0.5),
  },
  {
    name: "nobody proposes itself for discovery",
    rule: "ovon-discovery-not-self",
    path: `${discovery}/0`,
    ...repairedError,
    document: set(ovonPropose, `${discovery}/0/identification/serviceEndpoint`, "https://ann.example/floor").document,
  },
];

const noManifest: Flaw = { rule: "ovon-manifest", path: here, ...repairedError };

/** Parameters of proposeAssistant in a publishManifest: they were not checked, so they must not be used. */
const borrowedCases = [5, [], [null], [{ identification: {} }]].map(
  (servicingManifests): NegativeCase => ({
    name: `publishManifest has no use for servicing manifests such as ${JSON.stringify(servicingManifests)}`,
    rule: "ovon-publish-manifest-parameters",
    path: servicing,
    ...repairedError,
    document: ovon({ eventType: "publishManifest", parameters: { servicingManifests } }),
    also: [noManifest],
  }),
);

const manifestCases: readonly NegativeCase[] = [
  {
    name: "a published manifest has an identification",
    rule: "ovon-identification",
    ...repairedError,
    ...drop(ovonPublish, `${here}/manifest/identification`),
  },
  {
    name: "a serviceEndpoint is no number",
    rule: "ovon-service-endpoint",
    ...refused,
    ...set(ovonManifest, `${who}/serviceEndpoint`, 8080),
  },
  {
    name: "a serviceEndpoint has a scheme",
    rule: "ovon-service-endpoint",
    ...refused,
    ...set(ovonManifest, `${who}/serviceEndpoint`, "bot.example"),
  },
  {
    name: "an old serviceName is a string",
    rule: "ovon-service-name",
    ...repairedError,
    ...set(ovonManifest, `${who}/serviceName`, 5),
  },
  {
    name: "the speakerId of an old manifest is a string",
    rule: "ovon-manifest-speaker-id",
    ...repairedError,
    ...set(ovonManifest, `${who}/speakerId`, 5),
  },
  {
    name: "open floor roles mean nothing in an old manifest",
    rule: "ovon-later-keys",
    ...warned,
    ...set(ovonManifest, `${who}/openFloorRoles`, {}),
  },
  {
    name: "old layers are no string",
    rule: "ovon-supported-layers",
    ...repairedError,
    ...set(ovonManifest, layers, "text"),
  },
  {
    name: "an old layer is a string",
    rule: "ovon-supported-layers",
    ...repairedError,
    ...set(ovonManifest, `${layers}/0`, 5),
  },
];

export const ovonManifestCases: readonly NegativeCase[] = [...eventCases, ...borrowedCases, ...manifestCases];
