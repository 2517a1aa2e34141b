import { type DialogEvent, essenceOf } from "@plenary/protocol";
import { texts } from "../texts/texts.ts";
import { featuresOf, featureText, type NamedFeature } from "./feature-kind.ts";
import { parseSsml } from "./ssml/parse-ssml.ts";
import { xmlTokens } from "./ssml/xml-tokens.ts";

const wordsMax = 200_000;

/** Text of an utterance for copying and searching; without text, a list of what it carries. */
export function plainTextOf(dialogEvent: DialogEvent): string {
  const features = featuresOf(dialogEvent);
  for (const kind of ["text", "ssml", "html"] as const) {
    const words = features.filter((feature) => feature.kind === kind).map(plainTextOfFeature);
    const text = words.filter((word) => word !== "").join("\n");
    if (text !== "") return text;
  }
  return features
    .map(({ kind, feature }) => `(${texts.features.kinds[kind]}: ${essenceOf(feature.mimeType)})`)
    .join(" ");
}

function plainTextOfFeature({ kind, feature }: NamedFeature): string {
  const words = featureText(feature).slice(0, wordsMax).trim();
  if (kind === "text") return words;
  return kind === "ssml"
    ? parseSsml(words)
        .map(({ text }) => text)
        .join(" ")
    : htmlText(words);
}

const unseen = new Set(["script", "style", "template", "title"]);

/** The result is shown as text, never as markup. */
function htmlText(html: string): string {
  let inside: string | undefined;
  let words = "";
  for (const token of xmlTokens(html.replace(/&nbsp;/gu, " "))) {
    if (token.kind === "open" && unseen.has(token.name)) inside ??= token.name;
    else if (token.kind === "close" && token.name === inside) inside = undefined;
    if (inside === undefined) words += token.kind === "text" ? token.text : " ";
  }
  return words.replace(/\s+/gu, " ").trim();
}

/** The same for speech and captions: without Markdown marks, URLs and code. */
export function spokenTextOf(dialogEvent: DialogEvent): string {
  return spoken(plainTextOf(dialogEvent));
}

/** About ten minutes of speech. */
const spokenMax = 10_000;

export function spoken(text: string): string {
  return text
    .slice(0, spokenMax)
    .replace(/[\uD800-\uDBFF]$/u, "")
    .replace(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1.*$|$(?![\s\S]))/gmu, texts.features.spokenCode)
    .replace(/[ \t]+/gu, " ")
    .replace(/!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/gu, "$1")
    .replace(/<?https?:\/\/([^\s/<>?#]{1,255})[^\s<>]{0,2000}>?/gu, "$1")
    .replace(/^ {0,3}(?:#{1,6}|>+|[-*+]|\d{1,9}[.)]) (?:\[[ x]\] )?/gmu, "")
    .replace(/^[ |:-]{3,}$/gmu, "")
    .split("\n")
    .map(withoutMarks)
    .join("\n")
    .replace(/ ?\| ?/gu, " ")
    .replace(/^ | $/gmu, "")
    .replace(/\n{3,}/gu, "\n\n")
    .trim();
}

/** Removes paired marks around words in one pass. */
function withoutMarks(line: string): string {
  const open = new Map<string, number>();
  const dropped = new Map<number, number>();
  for (const { 0: mark, index } of line.matchAll(/\*{1,3}|_{1,3}|~~|`{1,3}/gu)) {
    const [before = " ", after = " "] = [line[index - 1], line[index + mark.length]];
    const isInWord = (neighbour: string) => mark.startsWith("_") && /\w/u.test(neighbour);
    const opener = open.get(mark);
    if (opener !== undefined && /\S/u.test(before) && !isInWord(after)) {
      dropped.set(opener, mark.length).set(index, mark.length);
      open.delete(mark);
    } else if (/\S/u.test(after) && !isInWord(before)) open.set(mark, index);
  }
  let [words, at] = ["", 0];
  for (const [index, length] of [...dropped].sort(([one], [other]) => one - other)) {
    words += line.slice(at, index);
    at = index + length;
  }
  return words + line.slice(at);
}
