import { type DialogEvent, type Feature, type InputType, interactionMimeType, replyIn } from "@plenary/protocol";

export type Option = { id?: string; label: string; value?: string; description?: string };

export type Question = {
  /** The id of an earlier question (`ask(...).parameters.dialogEvent.id`) that this one replaces. A notification withdraws it. */
  id?: string;
  text: string;
  options?: readonly Option[];
  /** Default: `radio` with options, else `text`. */
  inputType?: InputType;
  required?: boolean;
  placeholder?: string;
  timeoutMs?: number;
  error?: string;
  /** An http or https page to open first, such as one that asks for consent. */
  url?: string;
};

/** `isLapsed`: no answer came in time. */
export type InteractionReply = { id: string; values: string[]; isLapsed?: true };

/** A question without an answer yet. Plain data, so that it can be stored. */
export type Pending = { id: string; options: readonly { id: string; label: string; value: string }[] };

/** D31. The text contains the choices and the URL too, for clients that do not know the feature. */
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

/** The reply in a dialog event: its feature, or its plain text while a question is open. */
export function interactionReplyOf(
  dialogEvent: DialogEvent,
  text: string,
  pending: Pending | undefined,
): InteractionReply | undefined {
  const reply = replyIn(dialogEvent);
  if (reply !== undefined || pending === undefined || text === "") return reply;
  const said = text.trim().toLowerCase();
  const chosen = pending.options.find((option) =>
    [option.label, option.value, option.id].some((name) => name.toLowerCase() === said),
  );
  return { id: pending.id, values: [chosen?.value ?? text] };
}
