// Summaries consist of quotes: no sentence in them is generated.

import { isSameUri } from "@plenary/protocol";
import { counted } from "@plenary/transcript";
import type { History, RecordedUtterance } from "./history.ts";
import { isMe, type RecordPart } from "./parse-request.ts";
import { nameShown, quoted, utcTime } from "./quote.ts";
import {
  decisionsIn,
  isQuestion,
  keySentences,
  keyTermsIn,
  openQuestionsIn,
  type Sentence,
  sentencesIn,
  singular,
  termsOf,
} from "./text-analysis.ts";

const linesMax = 12;
const shownMax = 2;
/** So few utterances are quoted in full. */
const fewMax = 4;
const termsMax = 6;
const speakersMax = 8;
const listMax = 8;

export function summaryOf(part: RecordPart, history: History): string {
  const selection = selectUtterances(part, history);
  if ("problem" in selection) return selection.problem;
  const { said, words } = selection;
  if (said.length === 0) return nothingText(words, history);
  const { people } = history;
  const sentences = sentencesIn(said);
  const decisions = decisionsIn(sentences, shownMax).slice(-shownMax);
  const questions = openQuestionsIn(sentences, history.said).slice(-shownMax);
  const terms = keyTermsIn(sentences, people, termsMax);
  const head = `**Summary${words}**: ${spanOf(said, history)}, ${counted(said.length, "utterance")}. ${sinceLine(history)}`;
  if (said.length <= fewMax) return [head, ...said.map((one) => `- ${lineOf(one, history)}`)].join("\n");
  const lines = [
    head,
    `- **Took part:** ${speakerShares(said, history)}`,
    ...(terms.length > 0 ? [`- **Key terms:** ${terms.map(nameShown).join(", ")}`] : []),
    ...section("Decisions and tasks", decisions, history),
    ...section("Questions without an answer that I noticed", questions, history),
  ];
  const shown = new Set([...decisions, ...questions]);
  const rest = sentences.filter((one) => !shown.has(one) && !isQuestion(one.text));
  const telling = keySentences(rest, Math.max(1, linesMax - lines.length - 1));
  return [...lines, ...section("In their words", telling, history)].join("\n");
}

function section(title: string, sentences: readonly Sentence[], history: History): string[] {
  if (sentences.length === 0) return [];
  return [`- **${title}:**`, ...sentences.map(({ said, text }) => `  - ${lineOf({ ...said, text }, history)}`)];
}

export function lineOf({ speakerUri, at, text, isWhisper }: RecordedUtterance, { people, nowMs }: History): string {
  const how = isWhisper ? ", whispered" : "";
  return `**${people.nameOf(speakerUri)}** (${utcTime(at, nowMs)}${how}): ${quoted(text)}`;
}

function spanOf(said: readonly RecordedUtterance[], { nowMs }: History): string {
  const [from, to] = [utcTime(said[0]?.at ?? "", nowMs), utcTime(said.at(-1)?.at ?? "", nowMs)];
  return from === to ? `at ${from} UTC` : `from ${from} to ${to} UTC`;
}

function speakerShares(said: readonly RecordedUtterance[], { people }: History): string {
  const shares = bySpeaker(said).map(([speakerUri, its]) => `${people.nameOf(speakerUri)} (${its.length})`);
  const more = shares.length - speakersMax;
  return `${shares.slice(0, speakersMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The speaker with the most utterances comes first. */
function bySpeaker(said: readonly RecordedUtterance[]): [string, RecordedUtterance[]][] {
  const shares = new Map<string, RecordedUtterance[]>();
  for (const one of said) shares.set(one.speakerUri, [...(shares.get(one.speakerUri) ?? []), one]);
  return [...shares].sort(([, a], [, b]) => b.length - a.length);
}

/** Says since when the scribe has listened, because it knows nothing about the time before. */
export function nothingText(words: string, history: History): string {
  return `I have no utterances${words}. ${sinceLine(history)}`;
}

export function sinceLine({ since, begins, nowMs }: History): string {
  if (since === undefined) return "I have heard nothing yet: I listen from now on.";
  const listened = `I have listened since ${utcTime(since, nowMs)} UTC`;
  const isLess = begins !== undefined && begins !== since;
  return isLess ? `${listened}; what I may repeat here starts at ${utcTime(begins, nowMs)} UTC.` : `${listened}.`;
}

export function whoSaidWhat(part: RecordPart, history: History): string {
  const selection = selectUtterances(part, history);
  if ("problem" in selection) return selection.problem;
  const { said, words } = selection;
  if (said.length === 0) return nothingText(words, history);
  const speakers = bySpeaker(said);
  const each = Math.max(1, Math.floor(listMax / Math.min(speakers.length, listMax)));
  const lines = speakers.slice(0, listMax).flatMap(([speakerUri, its]) => {
    const shown = keyUtterances(its, each);
    const more = its.length - shown.length;
    return [
      `- **${history.people.nameOf(speakerUri)}** (${counted(its.length, "utterance")})${more > 0 ? ", among them" : ""}:`,
      ...shown.map(({ at, text }) => `  - ${utcTime(at, history.nowMs)}: ${quoted(text)}`),
    ];
  });
  const others = speakers.length - listMax;
  const head = `**Who said what${words}**: ${spanOf(said, history)}.`;
  return [head, ...lines, ...(others > 0 ? [`- and ${others} more speakers`] : [])].join("\n");
}

/** All when they are few; otherwise those with the key sentences, or the newest if there are none. */
function keyUtterances(its: readonly RecordedUtterance[], count: number): readonly RecordedUtterance[] {
  if (its.length <= count) return its;
  const telling = [...new Set(keySentences(sentencesIn(its), count).map(({ said }) => said))];
  return telling.length > 0 ? telling : its.slice(-count);
}

const findingsMax = 8;

export function listOf(kind: "decisions" | "questions", part: RecordPart, history: History): string {
  const selection = selectUtterances(part, history);
  if ("problem" in selection) return selection.problem;
  const { said, words } = selection;
  const sentences = sentencesIn(said);
  const found = kind === "decisions" ? decisionsIn(sentences, findingsMax) : openQuestionsIn(sentences, history.said);
  const what = kind === "decisions" ? "decision or task" : "question without an answer";
  if (found.length === 0) return `I noticed no ${what}${words}. ${sinceLine(history)}`;
  const title = kind === "decisions" ? "Decisions and tasks" : "Questions without an answer";
  const utterances = found.map(({ said, text }) => ({ ...said, text }));
  return newestOf(utterances, findingsMax, `**${title} that I noticed${words}** (UTC):`, history);
}

export function newestOf(found: readonly RecordedUtterance[], max: number, head: string, history: History): string {
  const lines = found.slice(-max).map((one) => `- ${lineOf(one, history)}`);
  const earlier = found.length - lines.length;
  return [head, ...(earlier > 0 ? [`- (${earlier} earlier)`] : []), ...lines].join("\n");
}

type Problem = { problem: string };

/** The speakers with a name; `problem` when the history has none. */
export function speakersNamed(
  written: string,
  { people, asker }: History,
): Problem | { isMeant: (speakerUri: string) => boolean; name: string } {
  const found = isMe(written) ? [{ speakerUri: asker, name: "you" }] : people.called(written);
  const [first] = found;
  if (first === undefined) return { problem: `I know no one called ${nameShown(written)} here.` };
  const isMeant = (speakerUri: string) => found.some((one) => isSameUri(one.speakerUri, speakerUri));
  return { isMeant, name: nameShown(first.name) };
}

/** Of all speakers without a name. */
export function utterancesBy(
  speaker: string | undefined,
  history: History,
): Problem | { said: readonly RecordedUtterance[]; name?: string } {
  if (speaker === undefined) return { said: history.said };
  const meant = speakersNamed(speaker, history);
  if ("problem" in meant) return meant;
  return { said: history.said.filter(({ speakerUri }) => meant.isMeant(speakerUri)), name: meant.name };
}

/** The utterances of a part of the record, and words that describe it. */
function selectUtterances({ speaker, sinceMs, last }: RecordPart, history: History) {
  const theirs = utterancesBy(speaker, history);
  if ("problem" in theirs) return theirs;
  let { said } = theirs;
  let words = theirs.name === undefined ? "" : ` of ${theirs.name}`;
  if (sinceMs !== undefined) {
    said = said.filter(({ atMs }) => atMs >= sinceMs);
    words += ` since ${utcTime(new Date(Math.max(0, sinceMs)).toISOString(), history.nowMs)} UTC`;
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
