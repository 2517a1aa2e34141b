import * as Type from "typebox";
import { isRecord } from "../../is-record.ts";
import { eventChoice } from "../../model/envelope.ts";
import { emptyList } from "../../model/event-deviations.ts";
import { urlPattern } from "../../model/patterns.ts";
import { versionNote, versionOf, versionsOf } from "../../model/version.ts";
import { type Deviation, type Note, renamed, type Shape } from "../../repair/shape.ts";
import { type OvonEvent, ovonEventShapes } from "./event.ts";
import { later } from "./later-keys.ts";
import { OvonSender } from "./sender.ts";

const newest = () => ({ version: versionOf["0.9"] });

const OvonSchema = Type.Object(
  {
    version: Type.Unsafe<string>({ type: "string", enum: versionsOf["0.9"], note: versionNote("0.9") }),
    url: Type.Optional(Type.String({ pattern: urlPattern, note: { rule: "ovon-schema-url" } satisfies Note })),
  },
  { note: { rule: "ovon-schema", otherwise: newest } satisfies Note },
);

// The text says objects, the samples have strings; only the agent itself reads the value.
const keptAsItIs: Deviation = {
  rule: "ovon-persistent-state-value",
  says: "this is something else",
  is: (value) => !isRecord(value),
};

const OvonConversation = Type.Object(
  {
    id: Type.String({ minLength: 1, note: { rule: "ovon-conversation-id" } satisfies Note }),
    persistentState: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: { note: { rule: "ovon-persistent-state-value", known: [keptAsItIs] } satisfies Note },
        note: { rule: "ovon-persistent-state", known: [emptyList("ovon-persistent-state")] } satisfies Note,
      }),
    ),
  },
  {
    note: {
      rule: "ovon-conversation",
      known: [
        renamed("persistent_state", "persistentState", "ovon-persistent-state"),
        later("conversants"),
        later("assignedFloorRoles"),
        later("floorGranted"),
        later("currentRoles"),
      ],
    } satisfies Note,
  },
);

const code: Shape = { type: "number", note: { rule: "ovon-response-code" } };
const codeObject: Shape = {
  type: "object",
  required: ["code"],
  properties: { code },
  note: { rule: "ovon-response-code" },
};

/** Spec 1.4: the content of the `ovon` key. */
export const OvonEnvelope = Type.Object(
  {
    schema: OvonSchema,
    conversation: OvonConversation,
    sender: OvonSender,
    responseCode: Type.Optional(
      Type.Unsafe<unknown>({
        note: {
          rule: "ovon-response-code",
          choose: (value) => (isRecord(value) ? codeObject : code),
        } satisfies Note,
      }),
    ),
    events: Type.Array(
      Type.Unsafe<OvonEvent>({
        note: {
          rule: "ovon-event",
          essential: true,
          leaveOut: "ovon-event-type-known",
          choose: eventChoice("ovon-", ovonEventShapes),
        } satisfies Note,
      }),
      { note: { rule: "ovon-events" } satisfies Note },
    ),
  },
  { note: { rule: "ovon-root" } satisfies Note },
);
export type OvonEnvelope = Type.Static<typeof OvonEnvelope>;
