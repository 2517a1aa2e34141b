import * as Type from "typebox";
import { report } from "../repair/repair.ts";
import { type Note, type Refinement, renamed } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { durationPattern, looseDuration, looseTime, timePattern } from "./patterns.ts";

const optional = (pattern: string, note: Note) => Type.Optional(Type.String({ pattern, note }));

const time = (rule: RuleId, note: Partial<Note> = {}) =>
  optional(timePattern, { rule, known: [looseTime(rule)], ...note });

const duration = (rule: RuleId, note: Partial<Note> = {}) =>
  optional(durationPattern, { rule, known: [looseDuration(rule)], ...note });

type SpanFields = { startTime?: string; startOffset?: string; endTime?: string; endOffset?: string };

const oneStart: Refinement = (span: SpanFields, place, state) => {
  if (span.startTime !== undefined && span.startOffset !== undefined) {
    report(state, place, "span-start", "a span has either startTime or startOffset, but this one has both");
    const { startOffset: _, ...rest } = span;
    return rest;
  }
  if (span.startTime !== undefined || span.startOffset !== undefined) return span;
  report(state, place, "span-start", "a span has either startTime or startOffset, but this one has neither");
  return { ...span, startTime: state.now };
};

const oneEnd: Refinement = (span: SpanFields, place, state) => {
  if (span.endTime === undefined || span.endOffset === undefined) return span;
  report(state, place, "span-end", "a span has at most one of endTime and endOffset, but this one has both");
  const { endOffset: _, ...rest } = span;
  return rest;
};

const kebabKeys = [
  renamed("start-time", "startTime", "span-keys"),
  renamed("start-offset", "startOffset", "span-keys"),
  renamed("end-time", "endTime", "span-keys"),
  renamed("end-offset", "endOffset", "span-keys"),
];

/** When a dialog event or a token began and ended: a time, or an offset from what encloses it. */
export const spanShape = (note: Note) =>
  Type.Object(
    {
      startTime: time("span-start-time", { otherwise: (_value, state) => state.now }),
      startOffset: duration("span-start-offset", { otherwise: () => "PT0S" }),
      endTime: time("span-end-time"),
      endOffset: duration("span-end-offset"),
    },
    {
      additionalProperties: false,
      oneOf: [{ required: ["startTime"] }, { required: ["startOffset"] }],
      not: { required: ["endTime", "endOffset"] },
      note: {
        ...note,
        known: [...(note.known ?? []), ...kebabKeys],
        otherKeys: "span-keys",
        refine: [oneStart, oneEnd],
      } satisfies Note,
    },
  );
export type Span = Type.Static<ReturnType<typeof spanShape>>;
