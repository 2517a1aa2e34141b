import {
  type DialogEvent,
  essenceOf,
  type Feature,
  type MediaKind,
  mediaKindOf,
  shownValue,
  type Token,
} from "@plenary/protocol";

/** The content of an utterance, for a document that fetches nothing. */
export type Parts = {
  words: string;
  lang?: string;
  media: readonly Medium[];
  others: readonly { name: string; mimeType: string; words: string }[];
};

/** `source` is a data: URL; absent when the content is elsewhere or may not be shown. */
export type Medium = { kind: MediaKind; mimeType: string; source?: string; alt?: string };

/** Features that are not shown: questions, answers (D31) and errors are also in the text, and steps are not part of a transcript. */
const leftOut = new Set(["interaction", "interactionReply", "steps", "error"]);
const textTypes = new Set(["text/plain", "text/markdown"]);
const othersMax = 2_000;
const sourceCharsMax = 12_000_000;

export function partsOf({ features }: DialogEvent): Parts {
  const words: string[] = [];
  const media: Medium[] = [];
  const others: { name: string; mimeType: string; words: string }[] = [];
  for (const [name, feature] of Object.entries(features)) {
    const { tokens, mimeType } = feature;
    const kind = mediaKindOf(mimeType);
    if (name === "text" || textTypes.has(essenceOf(mimeType))) words.push(wordsIn(tokens));
    else if (kind !== undefined) media.push(...tokens.map((token) => mediumOf(kind, feature, token)));
    else if (!leftOut.has(name)) others.push({ name, mimeType, words: wordsIn(tokens).slice(0, othersMax) });
  }
  const lang = features.text?.lang;
  return { words: words.join("\n"), media, others, ...(lang !== undefined && { lang }) };
}

/** Spec 1.10.1: the values in order; remote content is shown by its URL. */
function wordsIn(tokens: readonly Token[]): string {
  return tokens.map(({ value, valueUrl }) => (value === undefined ? `[${valueUrl}]` : shownValue(value))).join("");
}

const shownTypes = /^(?:image\/(?:png|jpeg|jpg|gif|webp|avif)|(?:audio|video)\/[\w.+-]{1,60})$/u;

function mediumOf(kind: MediaKind, feature: Feature, token: Token): Medium {
  const written = typeof token.value === "string" ? token.value : (token.valueUrl ?? "");
  const { alt } = token as { alt?: unknown };
  const [, named, base64 = written] = /^data:([\w.+/-]{1,100})(?:;[^;,]{0,100})*;base64,(.*)$/isu.exec(written) ?? [];
  const mimeType = essenceOf(named ?? feature.mimeType);
  const isHere = written.length <= sourceCharsMax && shownTypes.test(mimeType) && mimeType.startsWith(kind);
  // Blanks are removed first: matching them twice in one pattern takes quadratic time.
  const bare = isHere ? base64.replace(/\s+/gu, "") : "";
  return {
    kind,
    mimeType,
    ...(/^[A-Za-z0-9+/]+={0,2}$/u.test(bare) && { source: `data:${mimeType};base64,${bare}` }),
    ...(typeof alt === "string" && { alt }),
  };
}
