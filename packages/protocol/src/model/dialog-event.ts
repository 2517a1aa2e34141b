import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { reportFaults } from "../repair/repair.ts";
import { type Deviation, missing, type Note, type Refinement, renamed } from "../repair/shape.ts";
import { dialogEventFaults } from "./dialog-event-checks.ts";
import { audioFeature, type Feature, htmlFeature, otherFeature, ssmlFeature, textFeature } from "./feature.ts";
import { uri } from "./patterns.ts";
import { spanShape } from "./span.ts";

/** The features of a dialog event by name. Those of the specification have their own rules; other names are custom. */
export const Features = Type.Unsafe<Record<string, Feature>>({
  type: "object",
  properties: { text: textFeature, html: htmlFeature, audio: audioFeature, ssml: ssmlFeature },
  additionalProperties: otherFeature,
  note: { rule: "dialog-event-features" } satisfies Note,
});

// Spec 0.9.3 has a plain text beside the features; Open Floor removed it. Our choice: a custom feature keeps it.
const contextText: Deviation = {
  rule: "dialog-event-context",
  key: "context",
  says: "here is one (kept as a feature named context)",
  is: (value) => isRecord(value) && typeof value.context === "string",
  repair: (value) => {
    const { context, ...rest } = value as Record<string, unknown>;
    const features = isRecord(rest.features) ? rest.features : {};
    return { ...rest, features: { ...features, context: contextFeature(String(context)) } };
  },
};

/** Whether the text feature has something to verbalize. */
export function saysSomething({ text }: Record<string, Feature>): boolean {
  const tokens = text?.tokens ?? [];
  return tokens.some(({ value, valueUrl }) => valueUrl !== undefined || (typeof value === "string" && value !== ""));
}

export function contextFeature(text: string): Feature {
  return { mimeType: "text/plain", tokens: [{ value: text }] };
}

const checkBeyondSchema: Refinement = (dialogEvent: DialogEvent, place, state) => {
  reportFaults(dialogEventFaults(dialogEvent), place, state, dialogEvent);
  return dialogEvent;
};

/** One contribution of one speaker, in one or more media. */
export const DialogEvent = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      note: {
        rule: "dialog-event-id",
        known: [missing("dialog-event-id", (state) => state.newId())],
        otherwise: (_value, state) => state.newId(),
      } satisfies Note,
    }),
    speakerUri: uri("dialog-event-speaker-uri"),
    span: spanShape({
      rule: "dialog-event-span",
      known: [missing("dialog-event-span", (state) => ({ startTime: state.now }))],
      otherwise: (_value, state) => ({ startTime: state.now }),
    }),
    features: Features,
    previousId: Type.Optional(Type.String({ note: { rule: "dialog-event-previous-id" } satisfies Note })),
    context: Type.Optional(Type.Never({ note: { rule: "dialog-event-context" } satisfies Note })),
  },
  {
    note: {
      rule: "dialog-event",
      known: [
        renamed("speakerId", "speakerUri", "dialog-event-speaker-uri"),
        renamed("speakerID", "speakerUri", "dialog-event-speaker-uri"),
        contextText,
      ],
      refine: [checkBeyondSchema],
    } satisfies Note,
  },
);
export type DialogEvent = Type.Static<typeof DialogEvent>;
