import { faceOf } from "@plenary/transcript";
import pc from "picocolors";
import type { Io } from "../../io.ts";

export type ChatColors = {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  code(text: string): string;
  /** A speaker's colour: derived from its speakerUri, unless an earlier speaker has it. */
  speaker(speakerUri: string, text: string): string;
  /** Renders Markdown; in monochrome the marks stay. */
  markdown(text: string): string;
};

/** Distinguishable on light and dark backgrounds. */
const hues = [33, 35, 166, 162, 37, 136, 98, 70, 203, 67];
const fewHues = [36, 32, 35, 34, 33, 31];

/** Colours only on a terminal, and never where NO_COLOR is set. */
export function chatColors({ terminal, env }: Pick<Io, "terminal" | "env">): ChatColors {
  const bits = terminal === undefined || (env.NO_COLOR !== undefined && env.NO_COLOR !== "") ? 1 : terminal.colourBits;
  const { bold, dim, italic, red, yellow, cyan } = pc.createColors(bits > 1);
  const colourOf = createPalette(bits >= 8 ? hues : fewHues);
  return {
    bold,
    dim,
    red,
    yellow,
    code: cyan,
    speaker(speakerUri, text) {
      if (bits <= 1) return text;
      return `\u001b[1;${bits >= 8 ? "38;5;" : ""}${colourOf(speakerUri)}m${text}\u001b[22;39m`;
    },
    markdown: (text) => (bits <= 1 ? text : renderMarkdown(text, { bold, italic, code: cyan })),
  };
}

/** Starts with the speaker's own colour and takes the next free one. */
function createPalette(colours: readonly number[]) {
  const given = new Map<string, number>();
  return (speakerUri: string): number => {
    const known = given.get(speakerUri);
    if (known !== undefined) return known;
    const own = faceOf(speakerUri, undefined).hue % colours.length;
    const inOrder = [...colours.slice(own), ...colours.slice(0, own)];
    const taken = new Set(given.values());
    const colour = inOrder.find((one) => !taken.has(one)) ?? inOrder[0] ?? 0;
    if (given.size < colours.length) given.set(speakerUri, colour);
    return colour;
  };
}

type Mark = (text: string) => string;
type Marks = { bold: Mark; italic: Mark; code: Mark };

function renderMarkdown(text: string, { bold, italic, code }: Marks): string {
  let isFenced = false;
  const lines = text.split("\n").map((line) => {
    const isFence = /^\s*```/u.test(line);
    if (isFence) isFenced = !isFenced;
    if (isFenced || isFence) return isFence ? line : code(line);
    const [, title] = /^#{1,6} +(.+)$/u.exec(line) ?? [];
    if (title !== undefined) return bold(title);
    return line
      .split(/(`[^`]+`)/u)
      .map((part, index) => {
        if (index % 2 === 1) return code(part.slice(1, -1));
        return part
          .replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/gu, (_, words: string) => bold(words))
          .replace(/(?<![\p{L}\p{N}_])_([^\s_][^_]*)_(?![\p{L}\p{N}_])/gu, (_, words: string) => italic(words));
      })
      .join("");
  });
  return lines.join("\n");
}
