import type { DialogEvent, Feature } from "@plenary/protocol";

export type Option = { id?: string; label: string; value?: string; description?: string };

export type Question = {
  /** Of a question that was put before (`ask(...).parameters.dialogEvent.id`): this one takes its place, a notification takes it back. */
  id?: string;
  text: string;
  options?: readonly Option[];
  /** Default: `radio` with options, else `text`. */
  inputType?: "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";
  required?: boolean;
  placeholder?: string;
  timeoutMs?: number;
  error?: string;
  /** http or https: where to go first, such as a page that asks for consent. */
  url?: string;
};

/** `isLapsed`: nobody answered in time. */
export type InteractionReply = { id: string; values: string[]; isLapsed?: true };

/** A question that waits for its answer; plain data, so that it can be kept. */
export type Pending = { id: string; options: readonly { id: string; label: string; value: string }[] };

const interactionMimeType = "application/vnd.plenary.interaction+json";

/** D31. Whoever does not know the feature reads the text, so the choices and the address stand there too. */
export function interactionOf(question: Question, ownId: string): { text: string; feature: Feature; pending: Pending } {
  const { id = ownId, text, options = [], inputType, required, placeholder, timeoutMs, error, url } = question;
  const listed = options.map(({ id: given, label, value = label, description }, index) => ({
    id: given ?? String(index + 1),
    label,
    value,
    ...(description !== undefined && { description }),
  }));
  const value = {
    id,
    input_type: inputType ?? (listed.length > 0 ? "radio" : "text"),
    text,
    ...(listed.length > 0 && { options: listed }),
    ...(required !== undefined && { required }),
    ...(placeholder !== undefined && { placeholder }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }),
    ...(error !== undefined && { error }),
    ...(url !== undefined && { url }),
  };
  const choices = listed.length === 0 ? "" : ` (${listed.map(({ label }) => label).join(", ")})`;
  return {
    text: text + choices + (url === undefined || text.includes(url) ? "" : ` ${url}`),
    feature: { mimeType: interactionMimeType, tokens: [{ value }] },
    pending: { id, options: listed.map(({ id, label, value }) => ({ id, label, value })) },
  };
}

/** The reply in a dialog event: by its feature, or by plain words while a question waits. */
export function interactionReplyOf(
  dialogEvent: DialogEvent,
  text: string,
  pending: Pending | undefined,
): InteractionReply | undefined {
  const value = dialogEvent.features.interactionReply?.tokens[0]?.value;
  if (isReply(value)) {
    const isLapsed = value.lapsed === true;
    return { id: value.id, values: value.values.flatMap(wordIn), ...(isLapsed && { isLapsed }) };
  }
  if (pending === undefined || text === "") return undefined;
  const said = text.trim().toLowerCase();
  const chosen = pending.options.find((option) =>
    [option.label, option.value, option.id].some((name) => name.toLowerCase() === said),
  );
  return { id: pending.id, values: [chosen?.value ?? text] };
}

/** What else somebody puts there says nothing: not everything can be made a word. */
function wordIn(value: unknown): string[] {
  return ["string", "number", "boolean"].includes(typeof value) ? [String(value)] : [];
}

function isReply(value: unknown): value is { id: string; values: unknown[]; lapsed?: unknown } {
  if (typeof value !== "object" || value === null) return false;
  return "id" in value && typeof value.id === "string" && "values" in value && Array.isArray(value.values);
}
