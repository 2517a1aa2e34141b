import { type Mentionable, mentionIn } from "@plenary/transcript";

/** Content of the text field and its recipient. */
export type ComposerText = {
  text: string;
  /** Nothing is sent while `whisperTo` is absent. */
  isWhisper: boolean;
  whisperTo?: string;
  /** Mentions in the text do not address anyone. */
  isToAll: boolean;
  /** Chosen from the list; they win over others with the same name. */
  picked: readonly string[];
  /** An unfinished whisper, hidden while the field is public. */
  secret?: HiddenWhisper;
};

type HiddenWhisper = { text: string; whisperTo?: string };

export const emptyComposerText: ComposerText = { text: "", isWhisper: false, isToAll: false, picked: [] };

/** The recipient. Mentions in a whisper never change its recipient. */
export function addresseeOf(composerText: ComposerText, recipients: readonly Mentionable[]): string | undefined {
  if (composerText.isWhisper)
    return recipients.find(({ speakerUri }) => speakerUri === composerText.whisperTo)?.speakerUri;
  if (composerText.isToAll) return undefined;
  const isPicked = ({ speakerUri }: Mentionable) => composerText.picked.includes(speakerUri);
  const pickedFirst = [...recipients.filter(isPicked), ...recipients.filter((one) => !isPicked(one))];
  return mentionIn(composerText.text, pickedFirst)?.speakerUri;
}

/** After a whisper the field stays in whisper mode, so that the next words do not become public by accident. */
export function afterSending({ isWhisper, whisperTo }: ComposerText): ComposerText {
  return isWhisper
    ? { ...emptyComposerText, isWhisper, ...(whisperTo !== undefined && { whisperTo }) }
    : emptyComposerText;
}

/**
 * Puts text that could not be sent back before newer text. A whisper never becomes public or gets another recipient by
 * it.
 */
export function restored(current: ComposerText, failed: ComposerText): ComposerText {
  if (current.text.trim() === "" && !current.isWhisper) return failed;
  const text = [failed.text, current.text].filter((part) => part.trim() !== "").join("\n");
  if (!failed.isWhisper) return { ...current, text };
  if (!current.isWhisper || current.whisperTo === failed.whisperTo) return { ...failed, text };
  // Two whispers to two recipients: the person must choose the recipient again.
  return { ...emptyComposerText, text, isWhisper: true };
}

/** Restores a hidden whisper if the recipient is the same. */
export function asWhisper(composerText: ComposerText, whisperTo: string | undefined): ComposerText {
  const { whisperTo: _, secret, ...rest } = composerText;
  const isBegun = secret !== undefined && (whisperTo === undefined || whisperTo === secret.whisperTo);
  const isBack = isBegun && composerText.text.trim() === "";
  const to = whisperTo ?? (isBack ? secret.whisperTo : undefined);
  return {
    ...rest,
    isWhisper: true,
    ...(isBack && { text: secret.text }),
    ...(!isBack && secret !== undefined && { secret }),
    ...(to !== undefined && { whisperTo: to }),
  };
}

export function asPublic({ whisperTo, ...composerText }: ComposerText): ComposerText {
  if (!composerText.isWhisper || composerText.text.trim() === "") return { ...composerText, isWhisper: false };
  return { ...emptyComposerText, secret: { text: composerText.text, ...(whisperTo !== undefined && { whisperTo }) } };
}

/** Reads the content stored before a reload. Anything else reads as empty. */
export function parseComposerText(kept: unknown): ComposerText {
  if (typeof kept !== "object" || kept === null || !("text" in kept) || typeof kept.text !== "string")
    return emptyComposerText;
  const whisperTo = "whisperTo" in kept && typeof kept.whisperTo === "string" ? kept.whisperTo : undefined;
  const picked = "picked" in kept && Array.isArray(kept.picked) ? kept.picked.map(String) : [];
  return {
    text: kept.text,
    isWhisper: "isWhisper" in kept && kept.isWhisper === true,
    ...(whisperTo !== undefined && { whisperTo }),
    isToAll: "isToAll" in kept && kept.isToAll === true,
    picked,
  };
}
