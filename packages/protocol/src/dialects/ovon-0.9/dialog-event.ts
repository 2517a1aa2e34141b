// Dialog event 1.0.0 and 1.0.1, as 0.9 uses it. The speaker has an id (see speaker-id.ts), and a whisper may carry a plain
// text `context` beside its features, which becomes a feature of that name and back again.
// Lost going up: `context` where a feature of that name exists already. Lost going down: see speaker-id.ts.
import * as Type from "typebox";
import { isRecord } from "../../is-record.ts";
import { contextFeature, DialogEvent, Features, saysSomething } from "../../model/dialog-event.ts";
import { dialogEventFaults } from "../../model/dialog-event-checks.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import { report, reportFaults } from "../../repair/repair.ts";
import { type Deviation, type Note, type Refinement, renamed, unusable } from "../../repair/shape.ts";
import type { TranslationContext } from "../dialect.ts";
import { lose, withoutTaken } from "../losses.ts";
import { later } from "./later-keys.ts";
import { fromOvonId, toOvonId } from "./marks.ts";
import { fromSpeakerId, speakerIdFor } from "./speaker-id.ts";

const rule = "ovon-speaker-id";

const noSpeaker: Deviation = {
  rule,
  key: "speakerId",
  says: "it is missing (the sender stands in)",
  is: (value) => isRecord(value) && value.speakerId === undefined,
  repair: (value) => value,
};

// A link may lead into the context, which is a feature once it is read.
const checkBeyondSchema: Refinement = (dialogEvent: OvonDialogEvent, place, state) => {
  const { span, features, context } = dialogEvent;
  reportFaults(dialogEventFaults({ span, features: withContext(features, context) }), place, state, dialogEvent);
  return dialogEvent;
};

const { id, span, previousId } = DialogEvent.properties;

export const OvonDialogEvent = Type.Object(
  {
    id,
    speakerId: Type.Optional(Type.String({ minLength: 1, note: { rule } satisfies Note })),
    span,
    features: Features,
    previousId,
    context: Type.Optional(Type.String({ note: { rule: "ovon-context" } satisfies Note })),
  },
  {
    note: {
      rule: "ovon-dialog-event",
      known: [
        renamed("speakerID", "speakerId", rule),
        renamed("speaker-id", "speakerId", rule),
        renamed("speakerUri", "speakerId", rule),
        later("speakerUri"),
        noSpeaker,
      ],
      refine: [checkBeyondSchema],
    } satisfies Note,
  },
);
export type OvonDialogEvent = Type.Static<typeof OvonDialogEvent>;

/** In utterances and whispers the text feature is mandatory (spec 1.10.1 and 1.11.1). */
export const OvonUtterance = (() => {
  const { note, ...rest } = OvonDialogEvent as typeof OvonDialogEvent & { note: Note };
  return Type.Unsafe<OvonDialogEvent>({
    ...rest,
    note: { ...note, refine: [hasText, ...(note.refine ?? [])] } satisfies Note,
  });
})();

function hasText(...[value, place, state]: Parameters<Refinement>): unknown {
  const { features }: OvonDialogEvent = value;
  if (saysSomething(features)) return value;
  const problem = "utterance and whisper have a text feature with something in it, but this one has none";
  report(state, { up: place, key: "features" }, "ovon-text", problem, "error", false);
  return unusable;
}

function withContext(features: DialogEvent["features"], context: string | undefined): DialogEvent["features"] {
  if (context === undefined || features.context !== undefined) return features;
  return { ...features, context: contextFeature(context) };
}

/** `speakerUri` is that of the sender, for a dialog event that does not name its speaker. */
export function fromOvonDialogEvent(
  dialogEvent: OvonDialogEvent,
  speakerUri: string,
  at: JsonPath,
  { peers, losses }: TranslationContext,
): DialogEvent {
  const { id, speakerId, features, context, ...others } = dialogEvent;
  if (context !== undefined && features.context !== undefined) {
    lose(losses, at, ["context"], "1.1.0 has no context text, and the feature that would carry it exists already");
  }
  return {
    ...others,
    id: fromOvonId(id),
    speakerUri: speakerId === undefined ? speakerUri : fromSpeakerId(speakerId, peers),
    features: withContext(features, context),
  };
}

/** Only a whisper has a context text (spec 1.11). */
export function toOvonDialogEvent(
  dialogEvent: DialogEvent,
  eventType: "utterance" | "whisper",
  at: JsonPath,
  { peers, losses }: TranslationContext,
): OvonDialogEvent {
  const { id, speakerUri, span, features, previousId, ...others } = dialogEvent;
  const speakerId = speakerIdFor(speakerUri, at, { peers, losses });
  const context = eventType === "whisper" ? contextIn(features) : undefined;
  return {
    ...withoutTaken(others, ["speakerId", "context"], at, losses),
    id: toOvonId(id),
    speakerId,
    span,
    ...(previousId !== undefined && { previousId }),
    ...(context === undefined ? { features } : { context, features: withoutContext(features) }),
  };
}

/** The text of a context feature that says nothing but its text, as `contextFeature` writes it. */
function contextIn({ context }: DialogEvent["features"]): string | undefined {
  if (context === undefined || Object.keys(context).length > 2 || context.mimeType !== "text/plain") return undefined;
  const [token, ...more] = context.tokens;
  if (token === undefined || more.length > 0 || Object.keys(token).length > 1) return undefined;
  return typeof token.value === "string" ? token.value : undefined;
}

function withoutContext(features: DialogEvent["features"]): DialogEvent["features"] {
  const { context: _, ...others } = features;
  return others;
}
