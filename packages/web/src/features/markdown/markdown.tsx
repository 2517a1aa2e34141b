import { memo, type ReactNode } from "react";
import { closeOpen, isHard, isPlain } from "./markdown-source.ts";
import { markdownBody } from "./parse-markdown.ts";
import { nodesOf } from "./render-nodes.tsx";

type Props = {
  text: string;
  /** The text is still growing. */
  isPartial?: boolean;
};

/** Rendered Markdown. Nothing in it loads or runs. */
export const Markdown = memo(function Markdown({ text, isPartial = false }: Props) {
  const body = isPlain(text) ? <p>{text}</p> : isPartial ? parsed(closeOpen(text)) : remembered(text);
  return (
    <div className="feature-markdown" dir="auto">
      {body}
    </div>
  );
});

/** Cache size: about as much as a person scrolls through. */
const rememberedLettersMax = 1_000_000;
const memory = new Map<string, ReactNode>();
let lettersInMemory = 0;

function remembered(text: string): ReactNode {
  const known = memory.get(text);
  if (known !== undefined) {
    // Moved to the end: the least recently used entry goes first.
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

/** Expensive input is shown unformatted. */
function parsed(text: string): ReactNode {
  try {
    if (!isHard(text)) return nodesOf(markdownBody(text));
  } catch {
    // The parser overflowed on deep nesting.
  }
  return <p className="feature-verbatim">{text}</p>;
}
