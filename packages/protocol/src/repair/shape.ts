import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import type { RuleId } from "../rules/rules.ts";
import type { Issue, More } from "./issue.ts";
import type { JsonPath } from "./json-path.ts";

/** Defaults for missing values: the time of arrival and new ids. The core has neither. */
export type ParseDefaults = {
  /** RFC 3339, for a dialog event without a start. */
  now: string;
  newId: () => string;
};

/** An event that was left out: its index in the document's list of events, and why. */
export type LeftOut = { index: number; rule: RuleId; problem: string };

export type NamedSender = {
  speakerUri: string;
  /** Parts of the document that describe the sender without naming it. */
  own: WeakSet<object>;
};

export type ParseState = ParseDefaults & {
  /** The whole document, so that issues point at the original place, also after a repair moved it. */
  document: unknown;
  /** Set once a repair moved something. */
  places?: WeakMap<object, JsonPath>;
  issues: Issue[];
  /** So many are listed. */
  issuesMax: number;
  more: More;
  /** Events that are left out as unreadable. */
  leftOut: LeftOut[];
  /** The sender as the document names it, for parts without a speaker. */
  sender?: NamedSender;
  /** In an agent's answer a bad event is dropped; in a received envelope it refuses the whole envelope (D21). */
  dropBadEvents: boolean;
};

/** A known deviation of real documents from the specification, and its repair. */
export type Deviation = {
  rule: RuleId;
  /** The key that is wrong, when that is not the value itself. */
  key?: string;
  says: string;
  is: (value: unknown, state: ParseState) => boolean;
  /** Without it the value is accepted as it is. */
  repair?: (value: unknown, state: ParseState) => unknown;
  /** A warning by default; an error for a deviation that occurs neither in samples nor in known agents. */
  severity?: "error";
};

/** A rule over a whole object or list, run after its parts are repaired. Returns the value, repaired or not, or `unusable`. */
export type Refinement = (value: never, place: JsonPath | undefined, state: ParseState) => unknown;

/** Beside its JSON Schema, each shape has its rule and how a violation is repaired. */
export type Note = {
  rule: RuleId;
  /** A fix for this place, instead of the general one of the rule. */
  fix?: string;
  known?: readonly Deviation[];
  /** The replacement of a wrong or missing value. Without it the value is unusable. */
  otherwise?: (value: unknown, state: ParseState) => unknown;
  /** An item that breaks this rule is left out, although it is essential. */
  leaveOut?: RuleId;
  /** An unusable value here makes its owner unusable even if the key is optional: leaving it out would change the meaning. */
  essential?: boolean;
  /** The rule against keys that a closed shape does not name. They are reported and left out. */
  otherKeys?: RuleId;
  /** The rule against more items than allowed. The first ones are kept. */
  tooMany?: RuleId;
  refine?: readonly Refinement[];
  /** Picks the shape of one event out of the union. */
  choose?: (value: unknown) => Shape | undefined;
};

/** The part of JSON Schema our shapes use. */
export type Shape = {
  type?: "object" | "array" | "string" | "number" | "boolean" | readonly string[];
  properties?: Record<string, Shape>;
  required?: readonly string[];
  additionalProperties?: boolean | Shape;
  items?: Shape;
  maxItems?: number;
  enum?: readonly string[];
  const?: string;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  not?: object;
  note?: Note;
};

/** The same definition, seen by the walker. */
export function shapeOf(schema: Type.TSchema): Shape {
  return schema as Shape;
}

/** The result for a value that cannot be repaired. */
export const unusable: unique symbol = Symbol("unusable");

export function Dictionary<Value extends Type.TSchema>(value: Value, options: Type.TSchemaOptions) {
  return Type.Unsafe<Record<string, Type.Static<Value>>>({ type: "object", additionalProperties: value, ...options });
}

/** A key with another name than the specification's. */
export function renamed(from: string, to: string, rule: RuleId): Deviation {
  return {
    rule,
    key: from,
    says: `"${from}" stands for "${to}"`,
    is: (value) => isRecord(value) && value[from] !== undefined && value[to] === undefined,
    repair: (value) => {
      const { [from]: moved, ...rest } = value as Record<string, unknown>;
      return { ...rest, [to]: moved };
    },
  };
}

/** Blanks around a string that may have none. */
export function padded(rule: RuleId): Deviation {
  return {
    rule,
    says: "there are blanks around the value",
    is: (value) => typeof value === "string" && value !== value.trim() && value.trim() !== "",
    repair: (value) => String(value).trim(),
  };
}

/** A mandatory value that real agents leave out. */
export function missing(
  rule: RuleId,
  makeUp: (state: ParseState) => unknown,
  severity?: Deviation["severity"],
): Deviation {
  return {
    rule,
    says: "it is missing",
    is: (value) => value === undefined,
    repair: (_value, state) => makeUp(state),
    ...(severity && { severity }),
  };
}
