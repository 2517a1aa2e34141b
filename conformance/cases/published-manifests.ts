import { envelope, floor, identification, manifest, publishManifests } from "../bases.ts";
import { drop, type NegativeCase, repairedError, set, warned } from "../case.ts";

const here = "/openFloor/events/0/parameters";
const servicing = `${here}/servicingManifests`;
const discovery = `${here}/discoveryManifests`;
const conversant = "/openFloor/conversation/conversants/1/identification";

const { speakerUri: _, ...anonymous } = identification;
const nameless = (serviceUrl: string) => ({ ...manifest, identification: { ...anonymous, serviceUrl } });
const publishing = (...servicingManifests: object[]) =>
  envelope({ eventType: "publishManifests", parameters: { servicingManifests } });

const listCases: readonly NegativeCase[] = [
  {
    name: "publishManifests takes no other parameter",
    rule: "publish-manifests-parameters",
    ...repairedError,
    ...set(publishManifests, `${here}/manifests`, [manifest]),
  },
  {
    name: "one servicing manifest is put into a list",
    rule: "servicing-manifests",
    ...repairedError,
    ...set(publishManifests, servicing, manifest),
  },
  {
    name: "servicing manifests are no string",
    rule: "servicing-manifests",
    ...repairedError,
    ...set(publishManifests, servicing, "none"),
  },
  {
    name: "servicing manifests are not null",
    rule: "servicing-manifests",
    ...repairedError,
    ...set(publishManifests, servicing, null),
  },
  {
    name: "one discovery manifest is put into a list",
    rule: "discovery-manifests",
    ...repairedError,
    ...set(publishManifests, discovery, manifest),
  },
  {
    name: "discovery manifests are no number",
    rule: "discovery-manifests",
    ...repairedError,
    ...set(publishManifests, discovery, 0),
  },
  {
    name: "a recommended manifest is an object",
    rule: "manifest",
    ...repairedError,
    ...set(publishManifests, `${servicing}/0`, "Bot"),
  },
  {
    name: "a recommended manifest is not null",
    rule: "manifest",
    ...repairedError,
    ...set(publishManifests, `${discovery}/0`, null),
  },
  {
    name: "an agent does not send others to itself",
    rule: "discovery-not-self",
    path: `${discovery}/0`,
    ...repairedError,
    document: set(publishManifests, `${discovery}/0/identification/speakerUri`, "tag:ann.example,2025:1").document,
  },
  {
    name: "a score above 100 is left out",
    rule: "score",
    ...repairedError,
    ...set(publishManifests, `${servicing}/0/score`, 101),
  },
  {
    name: "a score below 0 is left out",
    rule: "score",
    ...repairedError,
    ...set(publishManifests, `${servicing}/0/score`, -0.5),
  },
  {
    name: "a score is a number",
    rule: "score",
    ...repairedError,
    ...set(publishManifests, `${servicing}/0/score`, "0.5"),
  },
  {
    name: "a score in percent is understood",
    rule: "score",
    ...warned,
    ...set(publishManifests, `${servicing}/0/score`, 90),
  },
  {
    name: "a recommended manifest without identification is left out",
    rule: "identification",
    ...repairedError,
    ...drop(publishManifests, `${servicing}/0/identification`),
  },
  {
    name: "the one manifest of an answer without speakerUri is the sender's",
    rule: "identification-speaker-uri",
    path: `${servicing}/0/identification/speakerUri`,
    ...warned,
    document: publishing(nameless("https://ann.example/public")),
  },
  {
    name: "a recommended manifest without speakerUri is named by its address",
    rule: "identification-speaker-uri",
    ...repairedError,
    ...drop(publishManifests, `${servicing}/0/identification/speakerUri`),
  },
  {
    name: "of two manifests without speakerUri the one at the sender's address is the sender's",
    rule: "identification-speaker-uri",
    path: `${servicing}/0/identification/speakerUri`,
    ...warned,
    document: publishing(nameless("https://ann.example/floor"), nameless("https://bot.example/floor")),
    also: [{ rule: "identification-speaker-uri", path: `${servicing}/1/identification/speakerUri`, ...repairedError }],
  },
  {
    name: "a manifest for discovery without speakerUri is named by its address",
    rule: "identification-speaker-uri",
    ...repairedError,
    ...drop(publishManifests, `${discovery}/0/identification/speakerUri`),
  },
  {
    name: "a recommended agent with a serviceEndpoint is kept",
    rule: "identification-service-url",
    path: `${servicing}/0/identification/serviceEndpoint`,
    ...warned,
    document: set(
      drop(publishManifests, `${servicing}/0/identification/serviceUrl`).document,
      `${servicing}/0/identification/serviceEndpoint`,
      "https://bot.example/floor",
    ).document,
  },
  {
    name: "a recommended agent without an address is left out",
    rule: "identification-service-url",
    ...repairedError,
    ...drop(publishManifests, `${servicing}/0/identification/serviceUrl`),
  },
];

const conversantCases: readonly NegativeCase[] = [
  {
    name: "a conversant named by its address alone breaks the text",
    rule: "identification-speaker-uri",
    ...repairedError,
    ...drop(floor, `${conversant}/speakerUri`),
    also: [
      { rule: "floor-granted-listed", path: "/openFloor/conversation/floorGranted/1", ...repairedError },
      { rule: "floor-role-listed", path: "/openFloor/conversation/assignedFloorRoles/convener/0", ...repairedError },
    ],
  },
  {
    name: "a conversant without an address breaks the text",
    rule: "identification-service-url",
    ...repairedError,
    ...drop(floor, `${conversant}/serviceUrl`),
  },
  {
    name: "a conversant whose address is no URL breaks the text",
    rule: "identification-service-url",
    ...repairedError,
    ...set(floor, `${conversant}/serviceUrl`, "bot.example"),
  },
  {
    name: "a conversant without organization is kept",
    rule: "identification-organization",
    ...warned,
    ...drop(floor, `${conversant}/organization`),
  },
  {
    name: "a conversant's roles are a dictionary",
    rule: "open-floor-roles",
    ...repairedError,
    ...set(floor, `${conversant}/openFloorRoles`, ["convener"]),
  },
];

export const publishedManifestCases: readonly NegativeCase[] = [...listCases, ...conversantCases];
