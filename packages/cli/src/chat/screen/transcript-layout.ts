import { type FloorEvent, recordOf, textOf, timeLeft, wordsOfValue } from "@plenary/protocol";
import {
  type Line,
  type NoteLine,
  type Question,
  questionIn,
  soundFeatures,
  type UtteranceLine,
} from "@plenary/transcript";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { legibleLine, legibleText } from "../../output/sanitize.ts";
import type { People } from "../participants.ts";
import type { Ink } from "./colors.ts";

export type Paper = { ink: Ink; columns: number };

/** A line of the transcript as rows of a screen. */
export function layLine(line: Line, people: People, paper: Paper): string[] {
  return line.kind === "note" ? layNote(line, people, paper) : layUtterance(line, people, paper);
}

/** Of what is indented, so much is always left. */
const narrowest = 8;

/** No row is wider than the paper; ends of lines and indents stay. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(columns, narrowest);
  const indentMax = Math.min(12, width - narrowest);
  return text.split("\n").flatMap((paragraph) => {
    const indent = /^ */u.exec(paragraph)?.[0].slice(0, indentMax) ?? "";
    const rows = wrapAnsi(paragraph.slice(indent.length), width - indent.length, { hard: true });
    return rows.split("\n").map((row) => (row === "" ? "" : indent + row));
  });
}

/** Beside a short name, or where it is short itself; else below the name. */
function hang(head: string, text: string, columns: number): string[] {
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

function layUtterance(line: UtteranceLine, people: People, { ink, columns }: Paper): string[] {
  const { sender, relayedFrom } = line;
  const question = questionIn(line);
  const text = ink.markdown(legibleText(question?.text ?? textOf(line.dialogEvent))) || otherThanText(line);
  const relayed = relayedFrom === undefined ? "" : `, relaying ${people.nameOf(relayedFrom)}`;
  const head = `${ink.of(sender, people.nameOf(sender))}${ink.dim(`${relayed}${addressWords(line, people)}`)}`;
  const rows = hang(head, text, columns);
  return question === undefined
    ? [...rows, ...layAttached(line, { ink, columns })]
    : [...rows, ...layAddress(question, columns), ...layOptions(question, { ink, columns })];
}

const addressCharsMax = 8_192;

/** From the first column on and without a mark at its breaks, so that it can be copied. */
function layAddress({ url = "" }: Question, columns: number): string[] {
  if (url.length > addressCharsMax || !/^https?:\/\/[!-~]+$/iu.test(url)) return [];
  const width = Math.max(columns, narrowest);
  return Array.from({ length: Math.ceil(url.length / width) }, (_, row) => url.slice(row * width, (row + 1) * width));
}

/** What is public and names whom it is for says so itself. */
function addressWords({ to, isWhisper, dialogEvent }: UtteranceLine, { nameOf }: People): string {
  if (to === undefined) return "";
  const name = midSentence(nameOf(to));
  if (isWhisper) return ` (private, to ${name})`;
  return textOf(dialogEvent).toLowerCase().includes(`@${name.toLowerCase()}`) ? "" : ` (to ${name})`;
}

function otherThanText({ dialogEvent }: UtteranceLine): string {
  const kinds = Object.entries(dialogEvent.features).map(([name, { mimeType }]) => mimeType || name);
  return `(${legibleLine(kinds.join(", ")) || "nothing"}: no text; /raw shows it)`;
}

const attachedMax = 8;

/** What comes with the words and cannot be shown here; what machines tell each other is none of it. */
function layAttached({ seq, dialogEvent }: UtteranceLine, { ink, columns }: Paper): string[] {
  if (textOf(dialogEvent).trim() === "") return [];
  return Object.entries(soundFeatures(dialogEvent.features))
    .filter(([name, { mimeType }]) => name !== "text" && !mimeType.startsWith("application/vnd.plenary."))
    .slice(0, attachedMax)
    .flatMap(
      ([
        name,
        {
          mimeType,
          tokens: [token],
        },
      ]) => {
        // Not in the specification; attachments of our page, and our scribe's, carry the name of a file there.
        const { alt } = { alt: undefined, ...token };
        const what = `${typeof alt === "string" ? alt : name} (${mimeType || "of no type"})`;
        return wrap(`  + ${legibleLine(what, 120)}: /raw ${seq} shows it`, columns).map(ink.dim);
      },
    );
}

function layOptions(question: Question, { ink, columns }: Paper): string[] {
  const { options, inputType, isRequired, untilMs } = question;
  const rows = options.flatMap(({ label, description }, index) => {
    const about = description === undefined ? "" : ink.dim(`  ${legibleLine(description)}`);
    return wrap(`${String(index + 1).padStart(4)}. ${legibleLine(label)}${about}`, columns);
  });
  if (inputType === "notification") return rows;
  const several = inputType === "checkbox" ? "Type numbers, such as 1,3" : "Type a number";
  const how = options.length === 0 || inputType === "text" ? "Type your answer" : several;
  const left = untilMs === undefined ? "" : `, ${timeLeft(untilMs - Date.now())}`;
  return [...rows, ...wrap(`  ${how}${isRequired ? "" : ", or /skip"}${left}`, columns).map(ink.dim)];
}

function layNote(line: NoteLine, people: People, { ink, columns }: Paper): string[] {
  const details = manifestDetails(line.event).map((detail) => `\n  ${detail}`);
  const rows = wrap(noteText(line, people) + details.join(""), columns - 2);
  const [sign, paint] = line.tone === "warning" ? ["! ", ink.yellow] : ["· ", ink.dim];
  return rows.map((row, index) => paint((index === 0 ? sign : "  ") + row));
}

const offers: Readonly<Record<NonNullable<NoteLine["offer"]>, string>> = {
  endConvening: "To end it: /convener none",
};

/** The sentence of a note, as plain words. */
function noteText({ words, reason, offer, grants }: NoteLine, { nameOf }: Pick<People, "nameOf">): string {
  const parts = words.map((word, index) => {
    if (typeof word === "string") return word;
    const name = nameOf(word.speakerUri);
    return index === 0 ? name : midSentence(name);
  });
  const sentence = legibleLine(parts.join(""), 1_000);
  const spoken = sentence.startsWith("You ") ? `You ${toYou(sentence.slice("You ".length))}` : sentence;
  const whole = reason === undefined ? spoken : `${spoken} (${legibleLine(reason)})`;
  if (grants !== undefined) return `${whole}: /grant ${legibleLine(nameOf(grants))}`;
  return offer === undefined ? whole : `${whole}. ${offers[offer]}`;
}

function midSentence(name: string): string {
  return name === "You" ? "you" : name;
}

const forYou: readonly [RegExp, string][] = [
  [/^has\b/u, "have"],
  [/^is\b/u, "are"],
  [/^was\b/u, "were"],
  [/^convenes\b/u, "convene"],
];

function toYou(predicate: string): string {
  return forYou.reduce((words, [pattern, instead]) => words.replace(pattern, instead), predicate);
}

const manifestsMax = 10;
const keyphrasesMax = 12;

/** What each of the manifests that were shown is for, by what words it is found, and where. */
export function manifestDetails(event: FloorEvent | undefined): string[] {
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
  return legibleLine(parts.filter((part) => part).join(" "), 1_000);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
