import type { Feature, Token } from "@plenary/protocol";

/** Words that are handed over as a file, such as a transcript. */
export type TextFile = { name: string; text: string };

/** Kinds of files that run nothing when somebody opens them. A page would: from a disk, scripts and all. */
const nameShape = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,60}\.(?:md|txt|csv|mmd|json|jsonl)$/iu;

/** One token of a feature with a name of its own, which is called like a file in `alt`, as attachments are. */
export function textFileOf(featureName: string, { tokens }: Feature): TextFile | undefined {
  if (["text", "html", "ssml"].includes(featureName) || tokens.length !== 1) return undefined;
  const [{ value, alt }] = tokens as [Token & { alt?: unknown }];
  if (typeof value !== "string" || typeof alt !== "string" || !nameShape.test(alt)) return undefined;
  return { name: alt, text: value };
}
