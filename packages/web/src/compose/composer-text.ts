import { type Mentionable, mentionIn } from "@plenary/transcript";

/** What is about to be said, and to whom. */
export type ComposerText = {
  text: string;
  /** Whispering; to nobody yet while `whisperTo` is absent, and then nothing is sent. */
  isWhisper: boolean;
  whisperTo?: string;
  /** Names in the text are only words. */
  isToAll: boolean;
  /** Chosen from the list: they go before others of the same name. */
  picked: readonly string[];
  /** A whisper that was left half written: it is not to become public by a slip. */
  secret?: HiddenWhisper;
};

type HiddenWhisper = { text: string; whisperTo?: string };

export const emptyComposerText: ComposerText = { text: "", isWhisper: false, isToAll: false, picked: [] };

/** The one it is for. A whisper is never for whom the text happens to name. */
export function addresseeOf(composerText: ComposerText, recipients: readonly Mentionable[]): string | undefined {
  if (composerText.isWhisper)
    return recipients.find(({ speakerUri }) => speakerUri === composerText.whisperTo)?.speakerUri;
  if (composerText.isToAll) return undefined;
  const isPicked = ({ speakerUri }: Mentionable) => composerText.picked.includes(speakerUri);
  const pickedFirst = [...recipients.filter(isPicked), ...recipients.filter((one) => !isPicked(one))];
  return mentionIn(composerText.text, pickedFirst)?.speakerUri;
}

/** After sending, a whisper stays one: the next words must not become public by accident. */
export function afterSending({ isWhisper, whisperTo }: ComposerText): ComposerText {
  return isWhisper
    ? { ...emptyComposerText, isWhisper, ...(whisperTo !== undefined && { whisperTo }) }
    : emptyComposerText;
}

/** What could not be sent comes back before what was written since. No whisper becomes public or goes astray by it. */
export function restored(current: ComposerText, failed: ComposerText): ComposerText {
  if (current.text.trim() === "" && !current.isWhisper) return failed;
  const text = [failed.text, current.text].filter((part) => part.trim() !== "").join("\n");
  if (!failed.isWhisper) return { ...current, text };
  if (!current.isWhisper || current.whisperTo === failed.whisperTo) return { ...failed, text };
  // Two whispers to two people: whoever writes says whom this is for.
  return { ...emptyComposerText, text, isWhisper: true };
}

/** What was begun comes back when it is for the same one. */
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

/** As it was kept over a reload; anything else is no draft. */
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
