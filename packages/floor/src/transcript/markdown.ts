import type { Line, NoteLine, UtteranceLine } from "./lines.ts";
import { partsOf } from "./parts.ts";
import { oneLine, plain } from "./plain.ts";
import { momentIn, noteWords, type Person, type Told, titleOf, toldOf, viewWords } from "./told.ts";
import type { Transcript } from "./transcript.ts";

const nameMax = 120;
const titleMax = 300;
const reasonMax = 500;

/**
 * A transcript for people, as Markdown (CommonMark). What somebody said may be Markdown of its own: it stays within its
 * quotation, shows no image from elsewhere and is no HTML.
 */
export function markdownOf(transcript: Transcript): string {
  const told = toldOf(transcript);
  const paragraphs = [...headOf(transcript, told)];
  let today = "";
  for (const line of told.lines) {
    const { day } = momentIn(line.at);
    if (day !== "" && day !== today) paragraphs.push(`## ${day}`);
    if (day !== "") today = day;
    paragraphs.push(paragraphOf(line, told));
  }
  return `${paragraphs.join("\n\n")}\n`;
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

/**
 * A quotation ends whatever was begun in it. In a listing marks are only characters, so it stays as it is: one that begins
 * at the first column is a listing for every reader of Markdown.
 */
function quoted(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const [, marks = "", after = ""] = /^ {0,3}(`{3,})(.*)$/u.exec(line) ?? [];
    if (fence !== "") {
      if (marks.length >= fence.length && after.trim() === "") fence = "";
      return line;
    }
    if (marks === "" || line.startsWith(" ") || after.includes("`")) return tamed(line);
    fence = marks;
    return line;
  });
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}
