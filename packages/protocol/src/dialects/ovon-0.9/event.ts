import * as Type from "typebox";
import { isRecord } from "../../is-record.ts";
import { closedParameters } from "../../model/event.ts";
import { addresseeInParameters, misplacedDialogEvent, oneManifest } from "../../model/event-deviations.ts";
import type { Deviation, Note } from "../../repair/shape.ts";
import type { RuleId } from "../../rules/rules.ts";
import { OvonUtterance } from "./dialog-event.ts";
import { later } from "./later-keys.ts";
import { OvonManifest, ProposedManifest } from "./manifest.ts";
import { addresseeKeys, looseAddressees } from "./to.ts";

type Keys = { [key: string]: Type.TSchema };

const parametersOf = <P extends Keys>(keys: P, otherKeys: RuleId, note: Partial<Note> = {}) =>
  closedParameters(keys, { rule: "ovon-parameters", otherKeys, ...note }, "ovon-parameters");

function eventOf<Name extends string, K extends Keys>(eventType: Name, keys: K, known: readonly Deviation[] = []) {
  const loose = [...looseAddressees, later("reason", (value) => typeof value !== "string"), ...known];
  return Type.Object(
    {
      eventType: Type.Literal(eventType, { note: { rule: "ovon-event-type-known" } satisfies Note }),
      ...addresseeKeys,
      ...keys,
    },
    { note: { rule: "ovon-event", known: loose } satisfies Note },
  );
}

const bare = <Name extends string>(eventType: Name, rule: RuleId, known: readonly Deviation[] = []) =>
  eventOf(eventType, { parameters: Type.Optional(parametersOf({}, rule)) }, known);

const urlIn = (inner: unknown): unknown => (isRecord(inner) && inner.url !== undefined ? inner.url : inner);

/** An addressee in the parameters is moved before it is checked. */
const misaddressed = (rule: RuleId): readonly Deviation[] => [
  addresseeInParameters({ rule, key: "parameters", says: "it stands in the parameters" }, urlIn),
  ...looseAddressees,
];

type WithDialogEvent = { context: string; parameters: { dialogEvent: Record<string, unknown> } };

const isWithDialogEvent = (value: unknown): boolean =>
  isRecord(value) && isRecord(value.parameters) && isRecord(value.parameters.dialogEvent);

// A sample of 0.9.3 puts the context of a whisper beside its parameters.
const misplacedContext: Deviation = {
  rule: "ovon-context",
  key: "context",
  says: "it stands beside the parameters",
  is: (value) =>
    isWithDialogEvent(value) &&
    typeof (value as WithDialogEvent).context === "string" &&
    (value as WithDialogEvent).parameters.dialogEvent.context === undefined,
  repair: (value) => {
    const { context, parameters, ...rest } = value as WithDialogEvent;
    return { ...rest, parameters: { ...parameters, dialogEvent: { ...parameters.dialogEvent, context } } };
  },
};

const said = <Name extends string>(eventType: Name) =>
  eventOf(
    eventType,
    {
      parameters: parametersOf({ dialogEvent: OvonUtterance }, "ovon-utterance-parameters", {
        rule: "ovon-dialog-event",
      }),
    },
    [...misaddressed("ovon-utterance-parameters"), misplacedDialogEvent("ovon-dialog-event"), misplacedContext],
  );

const noManifest: Deviation = {
  rule: "ovon-manifest",
  says: "it is missing",
  is: (value) => !isRecord(value) || value.manifest === undefined,
  repair: (value) => (isRecord(value) ? value : {}),
  severity: "error",
};

const proposals = (rule: RuleId) =>
  Type.Array(ProposedManifest, { note: { rule, known: [oneManifest(rule)], otherwise: () => [] } satisfies Note });

const announced: Deviation = {
  rule: "ovon-acknowledge",
  key: "eventType",
  says: "here is one (it says nothing)",
  is: () => true,
  repair: (value) => value,
};

/** Spec 1.9: the eight events of 0.9, and one more that agents send because it was announced. */
export const ovonEventShapes = {
  utterance: said("utterance"),
  whisper: said("whisper"),
  invite: bare("invite", "ovon-invite-parameters", misaddressed("ovon-invite-to")),
  bye: bare("bye", "ovon-bye-parameters"),
  requestManifest: bare("requestManifest", "ovon-request-manifest-parameters"),
  publishManifest: eventOf("publishManifest", {
    parameters: parametersOf({ manifest: Type.Optional(OvonManifest) }, "ovon-publish-manifest-parameters", {
      known: [noManifest],
    }),
  }),
  findAssistant: bare("findAssistant", "ovon-find-assistant-parameters"),
  proposeAssistant: eventOf("proposeAssistant", {
    parameters: parametersOf(
      {
        servicingManifests: proposals("ovon-servicing-manifests"),
        discoveryManifests: proposals("ovon-discovery-manifests"),
      },
      "ovon-propose-assistant-parameters",
      { otherwise: () => ({ servicingManifests: [], discoveryManifests: [] }) },
    ),
  }),
  acknowledge: eventOf("acknowledge", {}, [announced]),
};

type OvonEventType = keyof typeof ovonEventShapes;
export type OvonEvent = { [Name in OvonEventType]: Type.Static<(typeof ovonEventShapes)[Name]> }[OvonEventType];
