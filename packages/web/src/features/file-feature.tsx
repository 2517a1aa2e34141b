import { useEffect, useState } from "react";
import { Icon } from "../shell/icon.tsx";
import { sizeInWords } from "./feature-kind.ts";
import type { TextFile } from "./text-file.ts";

/** A file of words is offered, not shown: its reader asked for something to take away. */
export function FileFeature({ file: { name, text } }: { file: TextFile }) {
  const source = useSource(text);
  return (
    <p className="feature-bar">
      <span className="feature-name" dir="auto">
        {name}
      </span>
      <span className="quiet">{sizeInWords(new TextEncoder().encode(text).length)}</span>
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
