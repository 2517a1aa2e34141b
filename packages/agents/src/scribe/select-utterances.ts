import { isSameUri } from "@plenary/protocol";
import type { History, RecordedUtterance } from "./history.ts";
import type { RecordPart } from "./parse-record-part.ts";
import { isMe } from "./parse-request.ts";
import { nameShown, utcTime } from "./quote.ts";
import { singular, termsOf } from "./text-analysis.ts";

/** The speakers with a name; `problem` when the history has none. */
export type NamedSpeakers = { speakers: readonly string[]; name: string } | { problem: string };

export function speakersNamed(written: string, { people, asker }: History): NamedSpeakers {
  if (isMe(written)) return { speakers: [asker], name: "you" };
  const found = people.called(written);
  if (found.length === 0) return { problem: `I know no one called ${nameShown(written)} here.` };
  const [first] = found;
  return { speakers: found.map(({ speakerUri }) => speakerUri), name: nameShown(first?.name ?? written) };
}

export function utterancesOf(said: readonly RecordedUtterance[], speakers: readonly string[]): RecordedUtterance[] {
  return said.filter(({ speakerUri }) => speakers.some((one) => isSameUri(one, speakerUri)));
}

export type Selection = { said: readonly RecordedUtterance[]; words: string } | { problem: string };

/** The utterances of a part of the record, and words that describe it. */
export function selectUtterances(part: RecordPart, history: History): Selection {
  const { nowMs } = history;
  let { said } = history;
  let words = "";
  if (part.speaker !== undefined) {
    const meant = speakersNamed(part.speaker, history);
    if ("problem" in meant) return meant;
    said = utterancesOf(said, meant.speakers);
    words += ` of ${meant.name}`;
  }
  const { sinceMs, last } = part;
  if (sinceMs !== undefined) {
    said = said.filter(({ atMs }) => atMs >= sinceMs);
    words += ` since ${utcTime(new Date(Math.max(0, sinceMs)).toISOString(), nowMs)} UTC`;
  }
  if (last !== undefined) {
    said = last === 0 ? [] : said.slice(-last);
    words += `, the last ${said.length}`;
  }
  return { said, words };
}

const foundMax = 200;

/** Utterances about a topic, oldest first. The index is built for each question, so that nothing outlives an erasure. */
export async function utterancesAbout(said: readonly RecordedUtterance[], topic: string): Promise<RecordedUtterance[]> {
  const wanted = topicOf(topic);
  const exactly = new Set(said.filter(({ text }) => occurrencesIn(text, wanted) > 0));
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

/** Counts whole words, ignoring case. */
export function occurrencesIn(text: string, topic: string): number {
  if (topic === "") return 0;
  const escaped = topic.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&");
  return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "giu"))].length;
}
