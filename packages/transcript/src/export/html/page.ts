import type { Line, NoteLine, UtteranceLine } from "../../lines/line.ts";
import type { Transcript } from "../../transcript.ts";
import { documentOf, type ExportDocument, momentIn, noteText, titleOf, viewWords } from "../document.ts";
import { oneLine } from "../plain-text.ts";
import { type Medium, partsOf } from "../utterance-parts.ts";
import { escaped } from "./escape.ts";
import { stripOf } from "./floor-strip.ts";
import { htmlStyle } from "./style.ts";

/** The content security policy: the document runs nothing, fetches nothing and sends nothing. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'";

const nameMax = 120;
const titleMax = 300;

/** A transcript as one self-contained HTML page, with the floor strip. */
export function htmlOf(transcript: Transcript): string {
  return [...htmlPieces(transcript)].join("");
}

/** The same, line by line. */
export function* htmlPieces(transcript: Transcript): Generator<string> {
  const document = documentOf(transcript);
  const title = escaped(oneLine(titleOf(transcript), titleMax));
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header><h1 dir="auto">${title}</h1>
<p class="quiet">${escaped(viewWords(transcript, document))} Times are UTC.</p></header>
<main>
${stripOf(document)}
<section aria-labelledby="transcript"><h2 id="transcript">Transcript</h2>
`;
  yield* bodyOf(document);
  yield `</section>
</main>
<footer class="quiet"><p>Conversation <code>${escaped(transcript.id)}</code></p></footer>
</body>
</html>
`;
}

function* bodyOf(document: ExportDocument): Generator<string> {
  if (document.lines.length === 0) yield `<p class="quiet">Nothing was said.</p>\n`;
  let today = "";
  for (const line of document.lines) {
    const { day } = momentIn(line.at);
    if (day !== "" && day !== today) yield `<h3>${day}</h3>\n`;
    if (day !== "") today = day;
    yield `${line.kind === "note" ? noteIn(line, document) : saidIn(line, document)}\n`;
  }
}

function noteIn(line: NoteLine, { personFor }: ExportDocument): string {
  const words = noteText(line, (speakerUri) => `<bdi>${escaped(personFor(speakerUri).name)}</bdi>`, escaped);
  const tone = line.tone === "warning" ? " warning" : "";
  return `<p class="note${tone}" id="e${line.seq}">${words} ${timeIn(line)}</p>`;
}

function saidIn(line: UtteranceLine, { personFor }: ExportDocument): string {
  const { sender, relayedFrom, to, isWhisper, seq, dialogEvent } = line;
  const person = personFor(sender);
  const bdi = (speakerUri: string) => `<bdi>${escaped(personFor(speakerUri).name)}</bdi>`;
  const relayed = relayedFrom === undefined ? "" : `, relaying ${bdi(relayedFrom)}`;
  const addressee = to === undefined ? "" : ` <span class="quiet">to ${bdi(to)}</span>`;
  const lock = isWhisper
    ? ` <span class="lock">whisper${to === undefined ? "" : `, private to ${bdi(to)}`}</span>`
    : addressee;
  const { words, lang, media, others } = partsOf(dialogEvent);
  const spoken =
    words.trim() === "" ? "" : `<div class="words" dir="auto"${langIn(lang)}>${escaped(words.trim())}</div>`;
  return `<article class="said${isWhisper ? " private" : ""}" id="e${seq}" data-hue="${person.hue}">
<span class="face" aria-hidden="true">${escaped(person.initials)}</span>
<div><p><b class="name">${bdi(sender)}</b>${relayed}${lock} ${timeIn(line)}</p>
${spoken}${media.map(mediumIn).join("")}${others.map(otherIn).join("")}</div></article>`;
}

function timeIn({ seq, at }: Line): string {
  const { time } = momentIn(at);
  return time === "" ? "" : `<a href="#e${seq}"><time datetime="${escaped(at)}">${time}</time></a>`;
}

function langIn(lang: string | undefined): string {
  return lang !== undefined && /^[a-z]{2,3}(?:-[a-z\d]{1,8}){0,4}$/iu.test(lang) ? ` lang="${lang}"` : "";
}

function mediumIn({ kind, mimeType, source, alt }: Medium): string {
  const label = escaped(oneLine(alt ?? `${kind} without a description`, nameMax));
  if (source === undefined)
    return `<p class="quiet">(${kind}, ${escaped(oneLine(mimeType, nameMax))}: not in this file)</p>`;
  if (kind === "image") return `<figure><img src="${source}" alt="${label}"></figure>`;
  return `<figure><${kind} controls preload="metadata" src="${source}" aria-label="${label}"></${kind}></figure>`;
}

function otherIn({ name, mimeType, words }: { name: string; mimeType: string; words: string }): string {
  const what = escaped(oneLine(`${name}: ${mimeType}`, nameMax));
  return `<details><summary>${what}</summary><pre>${escaped(words)}</pre></details>`;
}
