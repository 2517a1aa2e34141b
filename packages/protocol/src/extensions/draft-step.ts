/** What an agent does while it composes an utterance (D43, an extension of Plenary). The same id again replaces the step. */
export type DraftStep = {
  id: string;
  /** The id of the step that this one is part of. */
  parent?: string;
  /** A readable title, such as `Searching flights`. */
  title: string;
  /** Plain text. */
  detail?: string;
  state: "running" | "done" | "failed";
};

/** In characters. A floor cuts what is longer. */
export const draftStepLimits = { id: 128, title: 200, detail: 4_096 } as const;

/** The place of a fault, the rule and the fix. */
export type DraftStepFault = { pointer: string; rule: string; fix: string };

type Read = { step: DraftStep; fault?: never } | { step?: never; fault: DraftStepFault };

/** Checks the shape only, not the length or characters of texts. */
export function readDraftStep(value: unknown): Read {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: faults.step };
  const { id, parent, title, detail, state }: Record<string, unknown> = { ...value };
  if (!isText(id)) return { fault: faults.id };
  if (!isText(title)) return { fault: faults.title };
  if (!isState(state)) return { fault: faults.state };
  if (parent !== undefined && typeof parent !== "string") return { fault: faults.parent };
  if (detail !== undefined && typeof detail !== "string") return { fault: faults.detail };
  const isNested = parent !== undefined && parent !== "" && parent !== id;
  return { step: { id, ...(isNested && { parent }), title, ...(detail && { detail }), state } };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isState(value: unknown): value is DraftStep["state"] {
  return value === "running" || value === "done" || value === "failed";
}

const faults = {
  step: {
    pointer: "",
    rule: "a step is an object with `id`, `title` and `state`",
    fix: 'send {"id": "1", "title": "Searching flights", "state": "running"}',
  },
  id: { pointer: "/id", rule: "id is a text that is not empty", fix: "give each step of a draft an id of its own" },
  title: {
    pointer: "/title",
    rule: "title is a text that is not empty",
    fix: "say what is being done, such as `Searching flights`",
  },
  state: {
    pointer: "/state",
    rule: "state is `running`, `done` or `failed`",
    fix: "begin with `running` and send the same id again with `done` or `failed`",
  },
  parent: { pointer: "/parent", rule: "parent is the id of another step", fix: "leave it out, or give a text" },
  detail: { pointer: "/detail", rule: "detail is plain text", fix: "leave it out, or write the value as text" },
} as const satisfies Record<string, DraftStepFault>;

/** The steps with a newer one: it replaces the step with its id, or is added at the end. */
export function withStep(steps: readonly DraftStep[], newer: DraftStep): DraftStep[] {
  const isNew = steps.every(({ id }) => id !== newer.id);
  return isNew ? [...steps, newer] : steps.map((step) => (step.id === newer.id ? newer : step));
}

/** The last running step. */
export function runningStep(steps: readonly DraftStep[]): DraftStep | undefined {
  return steps.findLast(({ state }) => state === "running");
}
