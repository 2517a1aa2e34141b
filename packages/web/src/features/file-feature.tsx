import type { Feature, Token } from "@plenary/protocol";
import { useEffect, useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { sizeText } from "./feature-kind.ts";

/** A file of words is offered, not shown: its reader asked for something to take away. */
export function FileFeature({ file: { name, text } }: { file: TextFile }) {
  const source = useSource(text);
  return (
    <p className="feature-bar">
      <span className="feature-name" dir="auto">
        {name}
      </span>
      <span className="quiet">{sizeText(new TextEncoder().encode(text).length)}</span>
      <a className="button small" href={source} download={name}>
        <Icon name="down" size={14} />
        Download
      </a>
    </p>
  );
}

/** Bytes without a type: opened in a tab they are no page of this origin, whatever they say. */
function useSource(text: string): string | undefined {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
    setSource(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return source;
}

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
