import { readdir, readFile } from "node:fs/promises";

/** A few sentences that answer one question, and where the answer comes from. */
export type Passage = {
  heading: string;
  text: string;
  /** `Inter-Agent Message 1.1.0, section 1.12`, `SECURITY.md`, ... */
  places: readonly string[];
  /** More search words. */
  words: string;
};

/** Beside `src` and beside `dist`. */
const folder = new URL("../../knowledge/", import.meta.url);

export async function readPassages(): Promise<Passage[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  return texts.flatMap((text, at) => passagesIn(text, names[at] ?? ""));
}

/** A passage is a heading, a paragraph, its places in italics, and a comment with more search words. */
export function passagesIn(markdown: string, file: string): Passage[] {
  const [, ...parts] = markdown.split(/^## /mu);
  return parts.map((part) => {
    const found = /^(.+)\n\n(.+?)\n\n_(.+)_\n\n<!-- (.+) -->\s*$/su.exec(part);
    const [, heading, text, places, words] = found ?? [];
    if (heading === undefined || text === undefined || places === undefined || words === undefined) {
      throw new Error(`${file}: not a heading, a paragraph, its _places_ and <!-- words -->: ${part.slice(0, 80)}`);
    }
    // Line breaks of the file are not part of the answer.
    return { heading, text: text.replaceAll("\n", " "), places: places.split("; "), words };
  });
}
