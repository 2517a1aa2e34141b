import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import type { RuleId } from "../rules/rules.ts";
import type { Issue, More } from "./issue.ts";
import type { Place } from "./json-path.ts";

/** What a reader may need to make a document whole: the time it arrived and fresh ids. The core has neither. */
export type Mint = {
  /** RFC 3339, taken where a dialog event does not say when it began. */
  now: string;
  newId: () => string;
};

/** An event that was left out: its place in the document's list of events, and why. */
export type LeftOut = { index: number; rule: RuleId; problem: string };

export type NamedSender = {
  speakerUri: string;
  /** Parts of the document that speak of the sender without naming it. */
  own: WeakSet<object>;
};

export type Reader = Mint & {
  /** The whole document, so that an issue points at what its author wrote, wherever a repair has moved it. */
  document: unknown;
  /** Known once something was moved. */
  places?: WeakMap<object, Place>;
  issues: Issue[];
  /** So many are listed. */
  issuesMax: number;
  more: More;
  /** Events that are left out because nothing can be made of them. */
  leftOut: LeftOut[];
  /** The sender as the document names it: what comes without a speaker is the sender's. */
  sender?: NamedSender;
  /** In an agent's answer one bad event is dropped; at the door it refuses the whole envelope (D21). */
  dropBadEvents: boolean;
};

/** A way in which documents are known to leave the text, and the way back. */
export type Deviation = {
  rule: RuleId;
  /** The key that is wrong, when that is not the value itself. */
  key?: string;
  says: string;
  is: (value: unknown, reader: Reader) => boolean;
  /** Without it the value stands as it is and is not looked at further. */
  mend?: (value: unknown, reader: Reader) => unknown;
  /** A warning unless it says otherwise: what only breaks the text, and neither samples nor known agents do, is an error. */
  severity?: "error";
};

/** A rule over a whole object or list, run when its parts are in order. Returns the value, mended or not, or `unusable`. */
export type Refinement = (value: never, place: Place | undefined, reader: Reader) => unknown;

/** Beside its JSON Schema, each shape says which rule it stands for and how a reader copes when that rule is broken. */
export type Note = {
  rule: RuleId;
  /** What obeys the rule here, where that is not what the rule says in general. */
  fix?: string;
  known?: readonly Deviation[];
  /** What a wrong or missing value becomes. Without it the value is unusable and its owner decides. */
  otherwise?: (value: unknown, reader: Reader) => unknown;
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

/** A value that nothing can be made of. */
export const unusable: unique symbol = Symbol("unusable");

export function Dictionary<Value extends Type.TSchema>(value: Value, options: Type.TSchemaOptions) {
  return Type.Unsafe<Record<string, Type.Static<Value>>>({ type: "object", additionalProperties: value, ...options });
}

/** A key written in another way than the specification's. */
export function renamed(from: string, to: string, rule: RuleId): Deviation {
  return {
    rule,
    key: from,
    says: `"${from}" stands for "${to}"`,
    is: (value) => isRecord(value) && value[from] !== undefined && value[to] === undefined,
    mend: (value) => {
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
    mend: (value) => String(value).trim(),
  };
}

/** A mandatory value that real agents leave out. */
export function missing(
  rule: RuleId,
  makeUp: (reader: Reader) => unknown,
  severity?: Deviation["severity"],
): Deviation {
  return {
    rule,
    says: "it is missing",
    is: (value) => value === undefined,
    mend: (_value, reader) => makeUp(reader),
    ...(severity && { severity }),
  };
}
