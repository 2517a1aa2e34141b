import { type FloorEvent, recordOf, textOf, timeLeft, wordsOfValue } from "@plenary/protocol";
import {
  type Line,
  type NoteLine,
  type Question,
  questionIn,
  type UtteranceLine,
  validFeatures,
} from "@plenary/transcript";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { sanitizeLine, sanitizeText } from "../../output/sanitize.ts";
import type { Participants } from "../participants.ts";
import type { ChatColors } from "./colors.ts";

export type ScreenStyle = { colors: ChatColors; columns: number };

/** Lays out a transcript line as screen rows. */
export function layOutLine(line: Line, participants: Participants, style: ScreenStyle): string[] {
  return line.kind === "note" ? layOutNote(line, participants, style) : layOutUtterance(line, participants, style);
}

/** The minimum width of indented text. */
const narrowest = 8;

/** Wraps to `columns`; line breaks and indents stay. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(columns, narrowest);
  const indentMax = Math.min(12, width - narrowest);
  return text.split("\n").flatMap((paragraph) => {
    const indent = /^ */u.exec(paragraph)?.[0].slice(0, indentMax) ?? "";
    const rows = wrapAnsi(paragraph.slice(indent.length), width - indent.length, { hard: true });
    return rows.split("\n").map((row) => (row === "" ? "" : indent + row));
  });
}

/** Puts the text beside a short name, or beside any name if the text is short; else below it. */
function besideHead(head: string, text: string, columns: number): string[] {
  const width = stringWidth(head) + 2;
  const isShortName = width <= Math.min(16, columns / 3);
  const isShortText = !text.includes("\n") && width + stringWidth(text) <= columns;
  if (!isShortName && !isShortText) return [...wrap(head, columns), ...indented(wrap(text, columns - 2), 2)];
  const [first = "", ...others] = wrap(text, columns - width);
  return [`${head}  ${first}`, ...indented(others, width)];
}

function indented(rows: readonly string[], by: number): string[] {
  return rows.map((row) => (row === "" ? "" : " ".repeat(by) + row));
}

function layOutUtterance(line: UtteranceLine, participants: Participants, { colors, columns }: ScreenStyle): string[] {
  const { sender, relayedFrom } = line;
  const question = questionIn(line);
  const text = colors.markdown(sanitizeText(question?.text ?? textOf(line.dialogEvent))) || otherThanText(line);
  const relayed = relayedFrom === undefined ? "" : `, relaying ${participants.nameOf(relayedFrom)}`;
  const head = `${colors.speaker(sender, participants.nameOf(sender))}${colors.dim(`${relayed}${addressWords(line, participants)}`)}`;
  const rows = besideHead(head, text, columns);
  return question === undefined
    ? [...rows, ...layOutAttachments(line, { colors, columns })]
    : [...rows, ...layOutUrl(question, columns), ...layOutOptions(question, { colors, columns })];
}

const addressCharsMax = 8_192;

/** Starts at the first column and breaks without a mark, so that the URL can be copied. */
function layOutUrl({ url = "" }: Question, columns: number): string[] {
  if (url.length > addressCharsMax || !/^https?:\/\/[!-~]+$/iu.test(url)) return [];
  const width = Math.max(columns, narrowest);
  return Array.from({ length: Math.ceil(url.length / width) }, (_, row) => url.slice(row * width, (row + 1) * width));
}

/** A public text that contains @NAME needs no note. */
function addressWords({ to, isWhisper, dialogEvent }: UtteranceLine, { nameOf }: Participants): string {
  if (to === undefined) return "";
  const name = midSentence(nameOf(to));
  if (isWhisper) return ` (private, to ${name})`;
  return textOf(dialogEvent).toLowerCase().includes(`@${name.toLowerCase()}`) ? "" : ` (to ${name})`;
}

function otherThanText({ dialogEvent }: UtteranceLine): string {
  const kinds = Object.entries(dialogEvent.features).map(([name, { mimeType }]) => mimeType || name);
  return `(${sanitizeLine(kinds.join(", ")) || "nothing"}: no text; /raw shows it)`;
}

const attachedMax = 8;

/** Attachments that a terminal cannot show, without Plenary's own machine-readable features. */
function layOutAttachments({ seq, dialogEvent }: UtteranceLine, { colors, columns }: ScreenStyle): string[] {
  if (textOf(dialogEvent).trim() === "") return [];
  return Object.entries(validFeatures(dialogEvent.features))
    .filter(([name, { mimeType }]) => name !== "text" && !mimeType.startsWith("application/vnd.plenary."))
    .slice(0, attachedMax)
    .flatMap(([name, { mimeType, tokens }]) => {
      // Not in the specification: the web page and the scribe put the file name of an attachment there.
      const { alt } = { alt: undefined, ...tokens[0] };
      const what = `${typeof alt === "string" ? alt : name} (${mimeType || "of no type"})`;
      return wrap(`  + ${sanitizeLine(what, 120)}: /raw ${seq} shows it`, columns).map(colors.dim);
    });
}

function layOutOptions(question: Question, { colors, columns }: ScreenStyle): string[] {
  const { options, inputType, isRequired, untilMs } = question;
  const rows = options.flatMap(({ label, description }, index) => {
    const about = description === undefined ? "" : colors.dim(`  ${sanitizeLine(description)}`);
    return wrap(`${String(index + 1).padStart(4)}. ${sanitizeLine(label)}${about}`, columns);
  });
  if (inputType === "notification") return rows;
  const several = inputType === "checkbox" ? "Type numbers, such as 1,3" : "Type a number";
  const how = options.length === 0 || inputType === "text" ? "Type your answer" : several;
  const left = untilMs === undefined ? "" : `, ${timeLeft(untilMs - Date.now())}`;
  return [...rows, ...wrap(`  ${how}${isRequired ? "" : ", or /skip"}${left}`, columns).map(colors.dim)];
}

function layOutNote(line: NoteLine, participants: Participants, { colors, columns }: ScreenStyle): string[] {
  const details = manifestDetails(line.event).map((detail) => `\n  ${detail}`);
  const rows = wrap(noteText(line, participants) + details.join(""), columns - 2);
  const [sign, paint] = line.tone === "warning" ? ["! ", colors.yellow] : ["· ", colors.dim];
  return rows.map((row, index) => paint((index === 0 ? sign : "  ") + row));
}

const offers: Readonly<Record<NonNullable<NoteLine["offer"]>, string>> = {
  endConvening: "To end it: /convener none",
};

/** A note as plain text. */
function noteText({ words, reason, offer, grants }: NoteLine, { nameOf }: Pick<Participants, "nameOf">): string {
  const parts = words.map((word, index) => {
    if (typeof word === "string") return word;
    const name = nameOf(word.speakerUri);
    return index === 0 ? name : midSentence(name);
  });
  const sentence = sanitizeLine(parts.join(""), 1_000);
  const spoken = sentence.startsWith("You ") ? `You ${toYou(sentence.slice("You ".length))}` : sentence;
  const whole = reason === undefined ? spoken : `${spoken} (${sanitizeLine(reason)})`;
  if (grants !== undefined) return `${whole}: /grant ${sanitizeLine(nameOf(grants))}`;
  return offer === undefined ? whole : `${whole}. ${offers[offer]}`;
}

function midSentence(name: string): string {
  return name === "You" ? "you" : name;
}

const forYou: Readonly<Record<string, string>> = { has: "have", is: "are", was: "were", convenes: "convene" };

function toYou(predicate: string): string {
  return predicate.replace(/^(?:has|is|was|convenes)\b/u, (verb) => forYou[verb] ?? verb);
}

const manifestsMax = 10;
const keyphrasesMax = 12;

/** One line per published manifest: synopsis, keyphrases, address. */
function manifestDetails(event: FloorEvent | undefined): string[] {
  if (event?.eventType !== "publishManifests") return [];
  const { servicingManifests, discoveryManifests } = recordOf(event.parameters);
  const manifests = [...listIn(servicingManifests), ...listIn(discoveryManifests)].map(recordOf);
  return manifests
    .slice(0, manifestsMax)
    .map(detailOf)
    .filter((detail) => detail !== "");
}

function detailOf({ identification, capabilities }: Readonly<Record<string, unknown>>): string {
  const { synopsis, serviceUrl } = recordOf(identification);
  const phrases = listIn(capabilities).flatMap((one) => listIn(recordOf(one).keyphrases));
  const found = phrases.flatMap((phrase) => wordsOfValue(phrase) ?? []).slice(0, keyphrasesMax);
  const parts = [wordsOfValue(synopsis), found.length > 0 ? `(${found.join(", ")})` : "", wordsOfValue(serviceUrl)];
  return sanitizeLine(parts.filter((part) => part).join(" "), 1_000);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
