import type { Said } from "./history.ts";
import { singular, termsOf } from "./words.ts";

const foundMax = 200;

/** What speaks of a topic, oldest first. The index is made for one question, so that nothing outlives an erasure. */
export async function search(said: readonly Said[], topic: string): Promise<Said[]> {
  const wanted = topicOf(topic);
  const exactly = new Set(said.filter(({ text }) => timesIn(text, wanted) > 0));
  if (termsOf(wanted).length > 0) {
    const { default: MiniSearch } = await import("minisearch");
    const index = new MiniSearch({
      fields: ["text"],
      processTerm: (term) => singular(term.toLowerCase()),
      searchOptions: {
        combineWith: "AND",
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 5 ? 1 : false),
      },
    });
    index.addAll(said.map(({ text }, id) => ({ id, text })));
    for (const { id } of index.search(termsOf(wanted).join(" ")).slice(0, foundMax)) {
      const found = said[id];
      if (found !== undefined) exactly.add(found);
    }
  }
  return said.filter((one) => exactly.has(one));
}

export function topicOf(written: string): string {
  return written
    .replaceAll(/["“”„]/gu, "")
    .replace(/^(?:the word|the) /iu, "")
    .trim();
}

/** As whole words, however they are written. */
export function timesIn(text: string, topic: string): number {
  if (topic === "") return 0;
  const escaped = topic.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&");
  return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "giu"))].length;
}
