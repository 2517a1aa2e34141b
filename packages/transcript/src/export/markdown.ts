import type { Line, NoteLine, UtteranceLine } from "../lines/line.ts";
import type { Transcript } from "../transcript.ts";
import { documentOf, type ExportDocument, momentIn, noteText, type Person, titleOf, viewWords } from "./document.ts";
import { oneLine, plain } from "./plain-text.ts";
import { partsOf } from "./utterance-parts.ts";

const nameMax = 120;
const titleMax = 300;
const reasonMax = 500;

/**
 * A transcript as Markdown (CommonMark). An utterance may itself be Markdown: it stays within its
 * quotation, loads no image and contains no HTML.
 */
export function markdownOf(transcript: Transcript): string {
  return [...markdownPieces(transcript)].join("");
}

/** The same, paragraph by paragraph. */
export function* markdownPieces(transcript: Transcript): Generator<string> {
  const document = documentOf(transcript);
  yield headOf(transcript, document).join("\n\n");
  let today = "";
  for (const line of document.lines) {
    const { day } = momentIn(line.at);
    if (day !== "" && day !== today) yield `\n\n## ${day}`;
    if (day !== "") today = day;
    yield `\n\n${paragraphOf(line, document)}`;
  }
  yield "\n";
}

function headOf(transcript: Transcript, document: ExportDocument): string[] {
  const who = document.people.map(({ name, kind }) => `- ${bold(name)}${kind === undefined ? "" : ` (${kind})`}`);
  return [
    `# ${literal(oneLine(titleOf(transcript), titleMax))}`,
    `${literal(viewWords(transcript, document))} Times are UTC.`,
    ...(who.length === 0 ? [] : [who.join("\n")]),
  ];
}

function paragraphOf(line: Line, document: ExportDocument): string {
  return line.kind === "note" ? italics(line, document) : spoken(line, document);
}

function italics(line: NoteLine, { personFor }: ExportDocument): string {
  const nameFor = (speakerUri: string) => literal(personFor(speakerUri).name);
  const words = noteText(line, nameFor, (text) => literal(leading(text) + oneLine(text, reasonMax) + trailing(text)));
  return `*${`${momentIn(line.at).time} ${words}`.trim()}*`;
}

const leading = (text: string) => (text.startsWith(" ") ? " " : "");
const trailing = (text: string) => (text.endsWith(" ") ? " " : "");

function spoken(line: UtteranceLine, { personFor }: ExportDocument): string {
  const { words, media, others } = partsOf(line.dialogEvent);
  const addressee = line.to === undefined ? "" : addresseeWords(personFor(line.to), line.isWhisper);
  const relayed = line.relayedFrom === undefined ? "" : `, relaying ${bold(personFor(line.relayedFrom).name)}`;
  const head = `${bold(personFor(line.sender).name)}${relayed}${addressee} ${momentIn(line.at).time}`.trimEnd();
  const beside = [
    ...media.map(({ kind, mimeType, alt }) => ` *(${kind}: ${literal(oneLine(alt ?? mimeType, nameMax))})*`),
    ...others.map(({ name, mimeType }) => ` *(${literal(oneLine(`${name}: ${mimeType}`, nameMax))})*`),
  ].join("");
  const text = plain(words).trim();
  if (text === "") return `${head}:${beside}`;
  return text.includes("\n") ? `${head}:${beside}\n\n${quoted(text)}` : `${head}: ${tamed(text)}${beside}`;
}

function addresseeWords({ name }: Person, isWhisper: boolean): string {
  return isWhisper ? ` *(whisper, private to ${literal(name)})*` : ` to ${bold(name)}`;
}

function bold(name: string): string {
  return `**${literal(name)}**`;
}

/** Escapes inline Markdown. */
function literal(text: string): string {
  return text.replace(/[\\`*_[\]<>&|~!$#]/gu, "\\$&");
}

/** Keeps a speaker's Markdown, without HTML, images and link definitions, which would affect other utterances. */
function tamed(text: string): string {
  return text
    .replace(/<(?=[a-z/!?])/giu, "&lt;")
    .replace(/!\[/gu, "!\\[")
    .replace(/\]:/gu, "]\\:");
}

/** The end of a block quotation ends every open construct in it. */
function quoted(text: string): string {
  return [...linesOf(text)].map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/**
 * Code blocks stay as they are. Markdown parsers disagree on some fences: the fences
 * written here are our own, and after an ambiguous one, such as in a list, no line is taken for a code block.
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

/** The fence is longer than any run of backticks inside. */
function fenced({ language, lines }: Listing): string[] {
  const longest = lines.reduce((most, line) => Math.max(most, longestRun(line)), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence];
}

function longestRun(line: string): number {
  return (line.match(/`+/gu) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
