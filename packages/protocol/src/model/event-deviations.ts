import { isRecord } from "../is-record.ts";
import type { Deviation } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { stricter } from "./private-flag.ts";

// Deviations of real documents that occur in every dialect; each dialect has its own rule for them.

/** PHP writes an empty dictionary as []. */
export const emptyList = (rule: RuleId): Deviation => ({
  rule,
  says: "this is an empty list",
  is: (value) => Array.isArray(value) && value.length === 0,
  repair: () => ({}),
});

export const misplacedDialogEvent = (rule: RuleId): Deviation => ({
  rule,
  key: "dialogEvent",
  says: "it stands beside the parameters",
  is: (value) => isRecord(value) && isRecord(value.dialogEvent) && value.parameters === undefined,
  repair: (value) => {
    const { dialogEvent, ...rest } = value as Record<string, unknown>;
    return { ...rest, parameters: { dialogEvent } };
  },
});

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

type Misaddressed = { to?: unknown; private?: unknown; parameters: Record<string, unknown> };

/** Older schemas put the addressee of an invite into its parameters, and some agents do so for a whisper. Its flag counts, too. */
export const addresseeInParameters = (
  fault: Pick<Deviation, "rule" | "key" | "says">,
  addressIn: (inner: unknown) => unknown = (inner) => inner,
): Deviation => ({
  ...fault,
  is: (value) => {
    if (!isRecord(value) || !isRecord(value.parameters)) return false;
    return isThere(value.parameters.to) || isThere(value.parameters.private);
  },
  repair: (value) => {
    const { parameters, to, private: beside, ...event } = value as Misaddressed;
    const { to: inner, private: within, ...others } = parameters;
    const flag = stricter(beside, within) ?? beside;
    const addressee = to ?? addressIn(inner);
    return {
      ...event,
      ...(isThere(addressee) && { to: addressee }),
      ...(flag !== undefined && { private: flag }),
      ...(Object.keys(others).length > 0 && { parameters: others }),
    };
  },
});

export const oneManifest = (rule: RuleId): Deviation => ({
  rule,
  says: "this is a single one",
  is: isRecord,
  repair: (value) => [value],
  severity: "error",
});
