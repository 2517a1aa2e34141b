import type { Feature, Token } from "@plenary/protocol";
import { useEffect, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Icon } from "../ui/icon.tsx";
import { sizeText } from "./feature-kind.ts";

/** Text files are offered for download and not shown. */
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
        {texts.features.download}
      </a>
    </p>
  );
}

/** Without a real MIME type the blob cannot run as a page of this origin when it is opened in a tab. */
function useSource(text: string): string | undefined {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
    setSource(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return source;
}

/** Text that an agent hands over as a file, such as a transcript. */
export type TextFile = { name: string; text: string };

/** File types that run nothing when they are opened. HTML from a disk would run scripts. */
const nameShape = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,60}\.(?:md|txt|csv|mmd|json|jsonl)$/iu;

/** A feature with one token whose `alt` is a file name, as in attachments. */
export function textFileOf(featureName: string, { tokens }: Feature): TextFile | undefined {
  if (["text", "html", "ssml"].includes(featureName) || tokens.length !== 1) return undefined;
  const [{ value, alt }] = tokens as [Token & { alt?: unknown }];
  if (typeof value !== "string" || typeof alt !== "string" || !nameShape.test(alt)) return undefined;
  return { name: alt, text: value };
}
