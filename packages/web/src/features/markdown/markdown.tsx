import { memo, type ReactNode } from "react";
import { closeOpen, isHard, isPlain } from "./markdown-source.ts";
import { markdownBody } from "./parse-markdown.ts";
import { nodesOf } from "./render-nodes.tsx";

type Props = {
  text: string;
  /** It is still being written. */
  isPartial?: boolean;
};

/** A text as its speaker formatted it. Nothing in it loads or runs. */
export const Markdown = memo(function Markdown({ text, isPartial = false }: Props) {
  const body = isPlain(text) ? <p>{text}</p> : isPartial ? parsed(closeOpen(text)) : remembered(text);
  return (
    <div className="feature-markdown" dir="auto">
      {body}
    </div>
  );
});

/** So much text is kept parsed: about what a person scrolls back and forth in. */
const rememberedLettersMax = 1_000_000;
const memory = new Map<string, ReactNode>();
let lettersInMemory = 0;

function remembered(text: string): ReactNode {
  const known = memory.get(text);
  if (known !== undefined) {
    // Moved to the end: the one that was looked at longest ago goes first.
    memory.delete(text);
    memory.set(text, known);
    return known;
  }
  const nodes = parsed(text);
  memory.set(text, nodes);
  lettersInMemory += text.length;
  for (const oldest of memory.keys()) {
    if (lettersInMemory <= rememberedLettersMax) break;
    memory.delete(oldest);
    lettersInMemory -= oldest.length;
  }
  return nodes;
}

/** What is too hard for the parser is shown as it came. */
function parsed(text: string): ReactNode {
  try {
    if (!isHard(text)) return nodesOf(markdownBody(text));
  } catch {
    // Nested too deeply.
  }
  return <p className="feature-verbatim">{text}</p>;
}
