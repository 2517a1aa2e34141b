import type { EventType, RuleId } from "@plenary/protocol";
import { dialogEvent, envelope, getManifests, invite, toBot } from "../bases.ts";
import { drop, type NegativeCase, repairedError, set, warned } from "../case.ts";

const here = "/openFloor/events/0";

const inviteCases: readonly NegativeCase[] = [
  {
    name: "an invite to nobody in particular invites every recipient",
    rule: "invite-to",
    ...warned,
    ...drop(invite, `${here}/to`),
  },
  {
    name: "an invite wants an address",
    rule: "invite-service-url",
    ...warned,
    ...drop(invite, `${here}/to/serviceUrl`),
  },
  {
    name: "an uninvite to nobody in particular removes every recipient",
    rule: "uninvite-to",
    path: `${here}/to`,
    ...warned,
    document: envelope({ eventType: "uninvite" }),
  },
  {
    name: "an invite takes no other parameter",
    rule: "invite-parameters",
    ...repairedError,
    ...set(invite, `${here}/parameters/urgent`, true),
  },
  {
    name: "an invite whose addressee is among the parameters is understood",
    rule: "invite-parameters",
    path: here,
    ...warned,
    document: envelope({ eventType: "invite", parameters: { to: toBot } }),
  },
  {
    name: "a history is a list",
    rule: "invite-dialog-history",
    ...repairedError,
    ...set(invite, `${here}/parameters/dialogHistory`, dialogEvent),
  },
  {
    name: "a history is no string",
    rule: "invite-dialog-history",
    ...repairedError,
    ...set(invite, `${here}/parameters/dialogHistory`, "Hello"),
  },
  {
    name: "a history is of dialog events",
    rule: "dialog-event",
    ...repairedError,
    ...set(invite, `${here}/parameters/dialogHistory/0`, "Hello"),
  },
  {
    name: "a dialog event is no list",
    rule: "dialog-event",
    ...repairedError,
    ...set(invite, `${here}/parameters/dialogHistory/0`, []),
  },
  {
    name: "a past event that nobody said is left out",
    rule: "dialog-event-speaker-uri",
    ...repairedError,
    ...drop(invite, `${here}/parameters/dialogHistory/0/speakerUri`),
  },
  {
    name: "a past event has an id",
    rule: "dialog-event-id",
    ...warned,
    ...drop(invite, `${here}/parameters/dialogHistory/0/id`),
  },
  {
    name: "the date of a past event is in the calendar",
    rule: "calendar-date",
    ...repairedError,
    ...set(invite, `${here}/parameters/dialogHistory/0/span/startTime`, "2025-02-29T10:05:00Z"),
  },
  {
    name: "expected roles are a list",
    rule: "invite-expected-floor-roles",
    ...repairedError,
    ...set(invite, `${here}/parameters/expectedFloorRoles`, "convener"),
  },
  {
    name: "expected roles are strings",
    rule: "invite-expected-floor-roles",
    ...repairedError,
    ...set(invite, `${here}/parameters/expectedFloorRoles/0`, { convener: true }),
  },
];

const bareEvents: readonly (readonly [EventType, RuleId])[] = [
  ["uninvite", "uninvite-parameters"],
  ["acceptInvite", "accept-invite-parameters"],
  ["declineInvite", "decline-invite-parameters"],
  ["bye", "bye-parameters"],
  ["requestFloor", "request-floor-parameters"],
  ["grantFloor", "grant-floor-parameters"],
  ["revokeFloor", "revoke-floor-parameters"],
  ["yieldFloor", "yield-floor-parameters"],
];

const parameterCases = bareEvents.map(
  ([eventType, rule]): NegativeCase => ({
    name: `${eventType} takes no parameters`,
    rule,
    path: `${here}/parameters/urgent`,
    ...repairedError,
    document: envelope({ eventType, to: toBot, parameters: { urgent: true } }),
  }),
);

const getManifestsCases: readonly NegativeCase[] = [
  {
    name: "getManifests takes no other parameter",
    rule: "get-manifests-parameters",
    ...repairedError,
    ...set(getManifests, `${here}/parameters/recommendedScope`, "all"),
  },
  {
    name: "a scope is one of three",
    rule: "recommend-scope",
    ...repairedError,
    ...set(getManifests, `${here}/parameters/recommendScope`, "everywhere"),
  },
  {
    name: "a scope is written in lower case",
    rule: "recommend-scope",
    ...repairedError,
    ...set(getManifests, `${here}/parameters/recommendScope`, "Internal"),
  },
  {
    name: "a scope is no list",
    rule: "recommend-scope",
    ...repairedError,
    ...set(getManifests, `${here}/parameters/recommendScope`, ["internal", "external"]),
  },
];

const retired = ["publishManifest", "findAssistant", "proposeAssistant", "context"].map(
  (eventType): NegativeCase => ({
    name: `the retired event ${eventType} is understood`,
    rule: "event-type-retired",
    path: `${here}/eventType`,
    ...warned,
    document: envelope({ eventType, to: toBot }),
  }),
);

export const floorEventCases: readonly NegativeCase[] = [
  ...inviteCases,
  ...parameterCases,
  ...getManifestsCases,
  ...retired,
];
