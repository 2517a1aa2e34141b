import type { Line, NoteLine, UtteranceLine } from "../lines/line.ts";
import type { Transcript } from "../transcript.ts";
import { momentIn, noteWords, type Person, type Told, titleOf, toldOf, viewWords } from "./document.ts";
import { oneLine, plain } from "./plain-text.ts";
import { partsOf } from "./utterance-parts.ts";

const nameMax = 120;
const titleMax = 300;
const reasonMax = 500;

/**
 * A transcript for people, as Markdown (CommonMark). What somebody said may be Markdown of its own: it stays within its
 * quotation, shows no image from elsewhere and is no HTML.
 */
export function markdownOf(transcript: Transcript): string {
  return [...markdownPieces(transcript)].join("");
}

/** The same, paragraph by paragraph. */
export function* markdownPieces(transcript: Transcript): Generator<string> {
  const told = toldOf(transcript);
  yield headOf(transcript, told).join("\n\n");
  let today = "";
  for (const line of told.lines) {
    const { day } = momentIn(line.at);
    if (day !== "" && day !== today) yield `\n\n## ${day}`;
    if (day !== "") today = day;
    yield `\n\n${paragraphOf(line, told)}`;
  }
  yield "\n";
}

function headOf(transcript: Transcript, told: Told): string[] {
  const who = told.people.map(({ name, kind }) => `- ${bold(name)}${kind === undefined ? "" : ` (${kind})`}`);
  return [
    `# ${literal(oneLine(titleOf(transcript), titleMax))}`,
    `${literal(viewWords(transcript, told))} Times are UTC.`,
    ...(who.length === 0 ? [] : [who.join("\n")]),
  ];
}

function paragraphOf(line: Line, told: Told): string {
  return line.kind === "note" ? italics(line, told) : spoken(line, told);
}

function italics(line: NoteLine, { personFor }: Told): string {
  const nameFor = (speakerUri: string) => literal(personFor(speakerUri).name);
  const words = noteWords(line, nameFor, (text) => literal(leading(text) + oneLine(text, reasonMax) + trailing(text)));
  return `*${`${momentIn(line.at).time} ${words}`.trim()}*`;
}

const leading = (text: string) => (text.startsWith(" ") ? " " : "");
const trailing = (text: string) => (text.endsWith(" ") ? " " : "");

function spoken(line: UtteranceLine, { personFor }: Told): string {
  const { words, media, others } = partsOf(line.dialogEvent);
  const whom = line.to === undefined ? "" : whomWords(personFor(line.to), line.isWhisper);
  const relayed = line.relayedFrom === undefined ? "" : `, relaying ${bold(personFor(line.relayedFrom).name)}`;
  const head = `${bold(personFor(line.sender).name)}${relayed}${whom} ${momentIn(line.at).time}`.trimEnd();
  const beside = [
    ...media.map(({ kind, mimeType, alt }) => ` *(${kind}: ${literal(oneLine(alt ?? mimeType, nameMax))})*`),
    ...others.map(({ name, mimeType }) => ` *(${literal(oneLine(`${name}: ${mimeType}`, nameMax))})*`),
  ].join("");
  const text = plain(words).trim();
  if (text === "") return `${head}:${beside}`;
  return text.includes("\n") ? `${head}:${beside}\n\n${quoted(text)}` : `${head}: ${tamed(text)}${beside}`;
}

function whomWords({ name }: Person, isWhisper: boolean): string {
  return isWhisper ? ` *(whisper, private to ${literal(name)})*` : ` to ${bold(name)}`;
}

function bold(name: string): string {
  return `**${literal(name)}**`;
}

/** Every mark of Markdown that means something within a line is itself. */
function literal(text: string): string {
  return text.replace(/[\\`*_[\]<>&|~!$#]/gu, "\\$&");
}

/** Own Markdown, but no HTML, no image that would be fetched, and no name for a link that others' words then have. */
function tamed(text: string): string {
  return text
    .replace(/<(?=[a-z/!?])/giu, "&lt;")
    .replace(/!\[/gu, "!\\[")
    .replace(/\]:/gu, "]\\:");
}

/** A quotation ends whatever was begun in it. */
function quoted(text: string): string {
  return [...linesOf(text)].map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/**
 * In a listing marks are only characters, so it stays as it is. Readers of Markdown do not agree on every fence: those
 * written here are our own, and after one that may be read in two ways, as in a list, nothing is taken for a listing.
 */
function* linesOf(text: string): Generator<string> {
  let listing: Listing | undefined;
  let isClear = true;
  for (const line of text.split("\n")) {
    const [, indent = "", marks = "", after = ""] = /^(\s*)(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    if (listing !== undefined) {
      const isEnd = marks.startsWith(listing.marks) && indent.length < 4 && after.trim() === "";
      if (isEnd) yield* fenced(listing);
      else listing.lines.push(line);
      if (isEnd) listing = undefined;
    } else if (marks !== "" && isClear && indent === "" && !after.includes("`")) {
      listing = { marks, language: after, lines: [] };
    } else {
      if (marks !== "") isClear = false;
      yield tamed(line);
    }
  }
  if (listing !== undefined) yield* fenced(listing);
}

type Listing = { marks: string; language: string; lines: string[] };

/** By a fence that is longer than any within, so that nothing in it can be its end. */
function fenced({ language, lines }: Listing): string[] {
  const longest = lines.reduce((most, line) => Math.max(most, longestRun(line)), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence];
}

function longestRun(line: string): number {
  return (line.match(/`+/gu) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
