import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { report } from "../repair/repair.ts";
import { type Deviation, type Note, padded, type Refinement, shapeOf, unusable } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { DialogEvent, saysSomething } from "./dialog-event.ts";
import { addresseeInParameters, emptyList, misplacedDialogEvent, oneManifest } from "./event-deviations.ts";
import { ScoredManifest } from "./manifest.ts";
import { notInSyntax, uri, url, urlPattern } from "./patterns.ts";
import { privateInTo, yesOrNo } from "./private-flag.ts";
import { ownUtterance } from "./sender-deviations.ts";

const requireAddressee: Refinement = (to: { speakerUri?: string; serviceUrl?: string }, place, state) => {
  if (to.speakerUri !== undefined || to.serviceUrl !== undefined) return to;
  // Our choice (spec-notes): the addressee cannot be guessed, and sending it to everyone could publish a whisper.
  const problem = "to names a speakerUri, a serviceUrl or both, but this one names neither";
  report(state, place, "to-addressee", problem, "error", false);
  return unusable;
};

const serviceUrl = (known: readonly Deviation[] = []) =>
  Type.Optional(
    url("to-service-url", {
      known: [...known, padded("to-service-url"), notInSyntax("to-service-url", "URL", urlPattern)],
    }),
  );

const addressee = {
  speakerUri: Type.Optional(uri("to-speaker-uri", { essential: true })),
  serviceUrl: serviceUrl(),
  private: Type.Optional(
    Type.Boolean({ note: { rule: "to-private", essential: true, otherwise: yesOrNo } satisfies Note }),
  ),
};

const oneAddressee: Deviation = {
  rule: "to-object",
  says: "this is a list of one",
  is: (value) => Array.isArray(value) && value.length === 1,
  repair: (value) => (value as unknown[])[0],
};

const bareAddress: Deviation = {
  rule: "to-object",
  says: "this is a bare address",
  is: (value) => typeof value === "string" && value.trim() !== "",
  repair: (value) => {
    const address = String(value).trim();
    return new RegExp(urlPattern, "u").test(address) ? { serviceUrl: address } : { speakerUri: address };
  },
};

const toNote: Note = {
  rule: "to-object",
  essential: true,
  known: [oneAddressee, bareAddress],
  refine: [requireAddressee],
};
const oneOrBoth = { anyOf: [{ required: ["speakerUri"] }, { required: ["serviceUrl"] }] };

/** Spec 1.8: the addressee of an event. With `private`, an utterance is for this addressee alone. */
export const To = Type.Object(addressee, { ...oneOrBoth, note: toNote });
export type To = Type.Static<typeof To>;

// Spec 1.12 requires the serviceUrl; a speakerUri alone names a conversant that the floor knows.
const knownToTheFloor: Deviation = {
  rule: "invite-service-url",
  says: "it is missing",
  is: (value) => value === undefined,
};

// Spec 1.12 calls it mandatory and then says what its absence means.
const everyRecipient: Deviation = {
  rule: "invite-to",
  says: "it is missing (every recipient is invited)",
  is: (value) => value === undefined,
};

const InviteTo = Type.Object(
  { ...addressee, serviceUrl: serviceUrl([knownToTheFloor]) },
  {
    required: ["serviceUrl"],
    note: { ...toNote, known: [everyRecipient, ...(toNote.known ?? [])] } satisfies Note,
  },
);

// Section 1.8: without `to` an event is for every recipient, which is rarely intended.
const everyRecipientLeaves: Deviation = {
  rule: "uninvite-to",
  says: "it is missing (every recipient is removed)",
  is: (value) => value === undefined,
};

const UninviteTo = Type.Object(addressee, {
  ...oneOrBoth,
  note: { ...toNote, known: [everyRecipientLeaves, ...(toNote.known ?? [])] } satisfies Note,
});

const emptyTo: Deviation = {
  rule: "to-object",
  key: "to",
  says: "this says nothing (taken as absent)",
  is: (value) => isRecord(value) && (value.to === null || (Array.isArray(value.to) && value.to.length === 0)),
  repair: (value) => {
    const { to: _, ...rest } = value as Record<string, unknown>;
    return rest;
  },
};

const reason = Type.Optional(Type.String({ note: { rule: "reason" } satisfies Note }));

type Parameters = { [key: string]: Type.TSchema };

/** Parameters without other keys. An empty list is read as none. */
export function closedParameters<Keys extends Parameters>(keys: Keys, note: Note, empty: RuleId) {
  const known = [emptyList(empty), ...(note.known ?? [])];
  return Type.Object(keys, { additionalProperties: false, note: { ...note, known } satisfies Note });
}

const parametersOf = <Keys extends Parameters>(keys: Keys, otherKeys: RuleId, note: Partial<Note> = {}) =>
  closedParameters(keys, { rule: "parameters", otherKeys, ...note }, "parameters");

function eventOf<Name extends string, Keys extends Parameters>(
  eventType: Name,
  keys: Keys,
  known: readonly Deviation[] = [],
  required?: readonly string[],
) {
  return Type.Object(
    { eventType: Type.Literal(eventType, { note: { rule: "event-type-known" } satisfies Note }), reason, ...keys },
    {
      ...(required && { required }),
      not: { required: ["private"] },
      note: { rule: "event", known: [emptyTo, ...known], refine: [privateInTo] } satisfies Note,
    },
  );
}

const to = Type.Optional(To);

const bare = <Name extends string>(eventType: Name, rule: RuleId) =>
  eventOf(eventType, { to, parameters: Type.Optional(parametersOf({}, rule)) });

const hasText: Refinement = (dialogEvent: DialogEvent, place, state) => {
  if (saysSomething(dialogEvent.features)) return dialogEvent;
  const problem = "an utterance has a text feature with something to verbalize, but this one has none";
  report(state, { up: place, key: "features" }, "utterance-text", problem, "error", false);
  return unusable;
};

/** In an utterance the text feature is mandatory and says something (spec 1.10). */
const Utterance = (() => {
  const { note, ...rest } = DialogEvent as typeof DialogEvent & { note: Note };
  const says = {
    type: "object",
    anyOf: [
      { required: ["valueUrl"] },
      { properties: { value: { type: "string", minLength: 1 } }, required: ["value"] },
    ],
  };
  const text = { type: "object", properties: { tokens: { type: "array", contains: says } } };
  const spoken = { type: "object", required: ["text"], properties: { text } };
  const { note: speakerNote, ...speakerUri } = shapeOf(DialogEvent.properties.speakerUri);
  return Type.Unsafe<DialogEvent>({
    ...rest,
    properties: {
      ...DialogEvent.properties,
      speakerUri: { ...speakerUri, note: { ...speakerNote, known: [ownUtterance, ...(speakerNote?.known ?? [])] } },
    },
    allOf: [{ type: "object", properties: { features: spoken } }],
    note: { ...note, rule: "utterance-dialog-event", refine: [...(note.refine ?? []), hasText] } satisfies Note,
  });
})();

const misaddressed = (rule: RuleId) => addresseeInParameters({ rule, says: "the addressee stands there too" });

const manifests = (rule: RuleId) =>
  Type.Optional(Type.Array(ScoredManifest, { note: { rule, known: [oneManifest(rule)] } satisfies Note }));

/** Spec 1.9: the twelve events, each with its own parameters. */
export const eventShapes = {
  utterance: eventOf(
    "utterance",
    {
      to,
      parameters: parametersOf({ dialogEvent: Utterance }, "utterance-parameters", { rule: "utterance-dialog-event" }),
    },
    [misaddressed("utterance-parameters"), misplacedDialogEvent("utterance-dialog-event")],
  ),
  invite: eventOf(
    "invite",
    {
      to: Type.Optional(InviteTo),
      parameters: Type.Optional(
        parametersOf(
          {
            dialogHistory: Type.Optional(
              Type.Array(DialogEvent, { note: { rule: "invite-dialog-history" } satisfies Note }),
            ),
            expectedFloorRoles: Type.Optional(
              Type.Array(Type.String({ note: { rule: "invite-expected-floor-roles" } satisfies Note }), {
                note: { rule: "invite-expected-floor-roles" } satisfies Note,
              }),
            ),
          },
          "invite-parameters",
        ),
      ),
    },
    [misaddressed("invite-parameters")],
    ["eventType", "to"],
  ),
  uninvite: eventOf(
    "uninvite",
    { to: Type.Optional(UninviteTo), parameters: Type.Optional(parametersOf({}, "uninvite-parameters")) },
    [],
    ["eventType", "to"],
  ),
  acceptInvite: bare("acceptInvite", "accept-invite-parameters"),
  declineInvite: bare("declineInvite", "decline-invite-parameters"),
  bye: bare("bye", "bye-parameters"),
  getManifests: eventOf("getManifests", {
    to,
    parameters: Type.Optional(
      parametersOf(
        {
          recommendScope: Type.Optional(
            Type.Enum(["external", "internal", "all"], {
              type: "string",
              note: { rule: "recommend-scope" } satisfies Note,
            }),
          ),
        },
        "get-manifests-parameters",
      ),
    ),
  }),
  publishManifests: eventOf("publishManifests", {
    to,
    parameters: Type.Optional(
      parametersOf(
        {
          servicingManifests: manifests("servicing-manifests"),
          discoveryManifests: manifests("discovery-manifests"),
        },
        "publish-manifests-parameters",
      ),
    ),
  }),
  requestFloor: bare("requestFloor", "request-floor-parameters"),
  grantFloor: bare("grantFloor", "grant-floor-parameters"),
  revokeFloor: bare("revokeFloor", "revoke-floor-parameters"),
  yieldFloor: bare("yieldFloor", "yield-floor-parameters"),
};

export type EventType = keyof typeof eventShapes;
export const eventTypes = Object.keys(eventShapes) as readonly EventType[];
export type FloorEvent = { [Name in EventType]: Type.Static<(typeof eventShapes)[Name]> }[EventType];
