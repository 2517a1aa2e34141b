import { type Mentionable, mentionIn } from "@plenary/transcript";

/** What is about to be said, and to whom. */
export type Draft = {
  text: string;
  /** Whispering; to nobody yet while `whisperTo` is absent, and then nothing is sent. */
  isWhisper: boolean;
  whisperTo?: string;
  /** Names in the text are only words. */
  isToAll: boolean;
  /** Chosen from the list: they go before others of the same name. */
  picked: readonly string[];
  /** A whisper that was left half written: it is not to become public by a slip. */
  secret?: Secret;
};

type Secret = { text: string; whisperTo?: string };

export const emptyDraft: Draft = { text: "", isWhisper: false, isToAll: false, picked: [] };

/** The one it is for. A whisper is never for whom the text happens to name. */
export function addresseeOf(draft: Draft, people: readonly Mentionable[]): string | undefined {
  if (draft.isWhisper) return people.find(({ speakerUri }) => speakerUri === draft.whisperTo)?.speakerUri;
  if (draft.isToAll) return undefined;
  const isPicked = ({ speakerUri }: Mentionable) => draft.picked.includes(speakerUri);
  const pickedFirst = [...people.filter(isPicked), ...people.filter((one) => !isPicked(one))];
  return mentionIn(draft.text, pickedFirst)?.speakerUri;
}

/** After sending, a whisper stays one: the next words must not become public by accident. */
export function sentOff({ isWhisper, whisperTo }: Draft): Draft {
  return isWhisper ? { ...emptyDraft, isWhisper, ...(whisperTo !== undefined && { whisperTo }) } : emptyDraft;
}

/** What could not be sent comes back before what was written since. No whisper becomes public or goes astray by it. */
export function takenBack(current: Draft, failed: Draft): Draft {
  if (current.text.trim() === "" && !current.isWhisper) return failed;
  const text = [failed.text, current.text].filter((part) => part.trim() !== "").join("\n");
  if (!failed.isWhisper) return { ...current, text };
  if (!current.isWhisper || current.whisperTo === failed.whisperTo) return { ...failed, text };
  // Two whispers to two people: whoever writes says whom this is for.
  return { ...emptyDraft, text, isWhisper: true };
}

/** What was begun comes back when it is for the same one. */
export function inWhisper(draft: Draft, whisperTo: string | undefined): Draft {
  const { whisperTo: _, secret, ...rest } = draft;
  const isBegun = secret !== undefined && (whisperTo === undefined || whisperTo === secret.whisperTo);
  const isBack = isBegun && draft.text.trim() === "";
  const to = whisperTo ?? (isBack ? secret.whisperTo : undefined);
  return {
    ...rest,
    isWhisper: true,
    ...(isBack && { text: secret.text }),
    ...(!isBack && secret !== undefined && { secret }),
    ...(to !== undefined && { whisperTo: to }),
  };
}

export function inPublic({ whisperTo, ...draft }: Draft): Draft {
  if (!draft.isWhisper || draft.text.trim() === "") return { ...draft, isWhisper: false };
  return { ...emptyDraft, secret: { text: draft.text, ...(whisperTo !== undefined && { whisperTo }) } };
}

/** As it was kept over a reload; anything else is no draft. */
export function readDraft(kept: unknown): Draft {
  if (typeof kept !== "object" || kept === null || !("text" in kept) || typeof kept.text !== "string")
    return emptyDraft;
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
