import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { report, reportFaults } from "../repair/repair.ts";
import { type Deviation, type Note, type Refinement, renamed, type Shape, shapeOf } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { conversationFaults, recommendationFaults, repetitionFaults } from "./envelope-checks.ts";
import { eventShapes, type FloorEvent } from "./event.ts";
import { ConversantIdentification } from "./manifest.ts";
import { uri, url, urlPattern } from "./patterns.ts";
import { shapeOfMisspelt } from "./private-flag.ts";
import { type Dialect, versionNote, versionOf, versionsOf } from "./version.ts";

const speakerUris = (rule: RuleId, note: Partial<Note> = {}, maxItems?: number) =>
  Type.Array(uri(rule), { ...(maxItems && { maxItems }), note: { rule, ...note } satisfies Note });

const Conversant = Type.Object(
  { identification: ConversantIdentification },
  { note: { rule: "conversant" } satisfies Note },
);
export type Conversant = Type.Static<typeof Conversant>;

const listsAgree: Refinement = (conversation: Conversation, place, state) => {
  const faults = conversationFaults(conversation);
  reportFaults(faults, place, state, conversation);
  const repeated = new Set(faults.flatMap(({ rule, keys }) => (rule === "conversants-once" ? [keys[1]] : [])));
  if (repeated.size === 0) return conversation;
  return { ...conversation, conversants: conversation.conversants?.filter((_, index) => !repeated.has(index)) };
};

const rolesWithoutConversants: Refinement = (conversation: Conversation, place, state) => {
  const { conversants, assignedFloorRoles, floorGranted } = conversation;
  if (conversants === undefined && (assignedFloorRoles ?? floorGranted) !== undefined) {
    const problem = "conversants is mandatory beside assignedFloorRoles or floorGranted, but it is missing";
    report(state, { up: place, key: "conversants" }, "conversants-present", problem, "warning");
  }
  return conversation;
};

/** Spec 1.6: the section that persists from envelope to envelope. The floor manager owns all of it but the id. */
export const Conversation = Type.Object(
  {
    id: Type.String({ minLength: 1, note: { rule: "conversation-id" } satisfies Note }),
    conversants: Type.Optional(Type.Array(Conversant, { note: { rule: "conversants" } satisfies Note })),
    assignedFloorRoles: Type.Optional(
      Type.Unsafe<{ [role: string]: string[] }>({
        type: "object",
        properties: {
          convener: speakerUris("floor-role-members", { tooMany: "convener-single" }, 1),
          owner: speakerUris("floor-role-members", { tooMany: "owner-single" }, 1),
        },
        additionalProperties: speakerUris("floor-role-members"),
        note: { rule: "floor-roles" } satisfies Note,
      }),
    ),
    floorGranted: Type.Optional(speakerUris("floor-granted")),
    currentRoles: Type.Optional(Type.Never({ note: { rule: "current-roles" } satisfies Note })),
  },
  {
    dependentRequired: { assignedFloorRoles: ["conversants"], floorGranted: ["conversants"] },
    note: {
      rule: "conversation",
      known: [renamed("currentRoles", "assignedFloorRoles", "current-roles")],
      refine: [rolesWithoutConversants, listsAgree],
    } satisfies Note,
  },
);
export type Conversation = Type.Static<typeof Conversation>;

/** Spec 1.7. */
export const Sender = Type.Object(
  { speakerUri: uri("sender-speaker-uri"), serviceUrl: Type.Optional(url("sender-service-url")) },
  { note: { rule: "sender" } satisfies Note },
);
export type Sender = Type.Static<typeof Sender>;

const schemaOf = (dialect: Dialect) =>
  Type.Object(
    {
      version: Type.Unsafe<string>({ type: "string", enum: versionsOf[dialect], note: versionNote(dialect) }),
      url: Type.Optional(Type.String({ pattern: urlPattern, note: { rule: "schema-url" } satisfies Note })),
    },
    {
      note: {
        rule: "schema",
        otherwise: () => ({ version: versionOf[dialect] }),
      } satisfies Note,
    },
  );

/** Picks the shape by eventType, so that one typo gives one issue. `retired`: shapes of eventTypes that are not named. */
export function eventChoice(
  prefix: "" | "ovon-",
  shapes: Record<string, Type.TSchema>,
  retired: Record<string, Type.TSchema> = {},
): (value: unknown) => Shape {
  const all = new Map(Object.entries({ ...retired, ...shapes }));
  const event: Shape = { type: "object", note: { rule: `${prefix}event` } };
  const typedEvent: Shape = {
    type: "object",
    required: ["eventType"],
    properties: { eventType: { type: "string", note: { rule: `${prefix}event-type` } } },
  };
  const known: Note = { rule: `${prefix}event-type-known`, essential: true };
  const knownEvent: Shape = {
    type: "object",
    properties: { eventType: { type: "string", enum: Object.keys(shapes), note: known } },
  };
  return (value) => {
    if (!isRecord(value)) return event;
    const misspelt = shapeOfMisspelt(value);
    if (misspelt !== undefined) return misspelt;
    return typeof value.eventType === "string" ? shapeOf(all.get(value.eventType) ?? knownEvent) : typedEvent;
  };
}

const uniqueIds: Refinement = (envelope: Envelope, place, state) => {
  reportFaults(repetitionFaults(envelope), place, state, envelope);
  return envelope;
};

const noSelfRecommendation: Refinement = (envelope: Envelope, place, state) => {
  const faults = recommendationFaults(envelope);
  if (faults.length === 0) return envelope;
  reportFaults(faults, place, state, envelope);
  const events = envelope.events.map((event) => {
    if (event.eventType !== "publishManifests" || event.parameters?.discoveryManifests === undefined) return event;
    const others = event.parameters.discoveryManifests.filter(
      ({ identification }) => identification.speakerUri !== envelope.sender.speakerUri,
    );
    return { ...event, parameters: { ...event.parameters, discoveryManifests: others } };
  });
  return { ...envelope, events };
};

/** Spec 1.4: the content of the `openFloor` key, as a dialect that has this key writes it. */
export function envelopeOf(dialect: Dialect, known: readonly Deviation[], retired: Record<string, Type.TSchema>) {
  return Type.Object(
    {
      schema: schemaOf(dialect),
      conversation: Conversation,
      sender: Sender,
      events: Type.Array(
        Type.Unsafe<FloorEvent>({
          anyOf: Object.values(eventShapes),
          note: {
            rule: "event",
            essential: true,
            leaveOut: "event-type-known",
            choose: eventChoice("", eventShapes, retired),
            known,
          } satisfies Note,
        }),
        { note: { rule: "events" } satisfies Note },
      ),
    },
    { note: { rule: "root", refine: [noSelfRecommendation, uniqueIds] } satisfies Note },
  );
}

/** The neutral model: what Open Floor 1.1.0 writes, without its root key. Every dialect is read into it. */
export type Envelope = Type.Static<ReturnType<typeof envelopeOf>>;
