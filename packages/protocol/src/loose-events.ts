import type { RuleId } from "./rules.ts";
import { type Deviation, isRecord } from "./shape.ts";

// Habits of real documents that every dialect's events share; each dialect has its own rule against them.

/** PHP writes an empty dictionary as []. */
export const emptyList = (rule: RuleId): Deviation => ({
  rule,
  says: "this is an empty list",
  is: (value) => Array.isArray(value) && value.length === 0,
  mend: () => ({}),
});

export const misplacedDialogEvent = (rule: RuleId): Deviation => ({
  rule,
  key: "dialogEvent",
  says: "it stands beside the parameters",
  is: (value) => isRecord(value) && isRecord(value.dialogEvent) && value.parameters === undefined,
  mend: (value) => {
    const { dialogEvent, ...rest } = value as Record<string, unknown>;
    return { ...rest, parameters: { dialogEvent } };
  },
});

export const oneManifest = (rule: RuleId): Deviation => ({
  rule,
  says: "this is a single one",
  is: isRecord,
  mend: (value) => [value],
  severity: "error",
});
