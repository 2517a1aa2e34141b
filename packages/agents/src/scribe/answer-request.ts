import { type Conversation, type Feature, isSameUri, type Token } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { counted, exportKinds, jsonlOf, markdownOf, mermaidOf, type Transcript } from "@plenary/transcript";
import { welcome } from "../addressing.ts";
import { textOnly } from "./heard-events.ts";
import type { History } from "./history.ts";
import type { ScribeFormat, ScribeQuestion, ScribeRequest } from "./parse-request.ts";
import { nameShown, utcTime } from "./quote.ts";
import {
  lineOf,
  listOf,
  newestOf,
  nothingText,
  occurrencesIn,
  sinceLine,
  speakersNamed,
  summaryOf,
  topicOf,
  utterancesAbout,
  utterancesBy,
  whoSaidWhat,
} from "./summary.ts";

type ScribeAnswer = {
  text: string;
  features?: Record<string, Feature>;
  /** The answer depends on the record, so it may differ for other listeners. */
  isAboutRecord: boolean;
};

type AnswerContext = {
  history: History;
  visible: readonly HistoryEntry[];
  conversation: Conversation;
  isPrivate: boolean;
};

export async function answerTo(request: ScribeRequest, context: AnswerContext): Promise<ScribeAnswer> {
  const plain = (text: string) => ({ text, isAboutRecord: false });
  switch (request.kind) {
    case "help":
      return plain(help);
    case "thanks":
      return plain(welcome);
    case "note":
      return plain(noted);
    case "since":
      return plain(sinceLine(context.history));
    case "exportUnknown":
      return plain(
        `I cannot export as ${nameShown(request.format)}. I can export as ${scribeFormats.join(", ")}; for html use **Export** on the page, or \`plenary export\`.`,
      );
    case "export": {
      const exported = exportOf(request.format, context);
      return { text: nothingText("", context.history), ...exported, isAboutRecord: true };
    }
    default:
      return { text: await questionText(request, context.history), isAboutRecord: true };
  }
}

async function questionText(request: ScribeQuestion, history: History): Promise<string> {
  switch (request.kind) {
    case "summary":
      return summaryOf(request.part, history);
    case "whoSaidWhat":
      return whoSaidWhat(request.part, history);
    case "decisions":
    case "questions":
      return listOf(request.kind, request.part, history);
    case "said":
      return whatWasSaid(request, history);
    case "mentions":
      return whoMentioned(request.about, history);
    case "last":
      return theLast(request.speaker, history);
    case "count":
      return howOften(request, history);
    case "joined":
    case "left":
      return whenJoinedOrLeft(request.kind, request.speaker, history);
    case "people":
      return whoWasHere(history);
  }
}

const shownMax = 6;

type SpeakerAndTopic = { speaker?: string; about?: string };

export async function whatWasSaid({ speaker, about }: SpeakerAndTopic, history: History): Promise<string> {
  const theirs = utterancesBy(speaker, history);
  if ("problem" in theirs) return theirs.problem;
  const { said, name } = theirs;
  const found = about === undefined ? said : await utterancesAbout(said, about);
  const topic = about === undefined ? "" : ` about ${nameShown(topicOf(about))}`;
  if (found.length === 0) return `I have not heard ${name ?? "anyone"} say anything${topic}. ${sinceLine(history)}`;
  const head = name === "you" ? "You" : (name ?? "Said");
  return newestOf(found, shownMax, `**${head}${topic}** (${counted(found.length, "utterance")}, UTC):`, history);
}

export async function whoMentioned(about: string, history: History): Promise<string> {
  const found = await utterancesAbout(history.said, about);
  const topic = nameShown(topicOf(about));
  if (found.length === 0) return `I have not heard anyone mention ${topic}. ${sinceLine(history)}`;
  const names = [...new Set(found.map(({ speakerUri }) => history.people.nameOf(speakerUri)))];
  return newestOf(
    found,
    shownMax,
    `**${topic}** was mentioned by ${names.slice(0, shownMax).join(", ")} (UTC):`,
    history,
  );
}

export function theLast(speaker: string | undefined, history: History): string {
  const theirs = utterancesBy(speaker, history);
  if ("problem" in theirs) return theirs.problem;
  const last = theirs.said.at(-1);
  if (last === undefined) return nothingText(theirs.name === undefined ? "" : ` of ${theirs.name}`, history);
  return `${lineOf(last, history)} (UTC)`;
}

export function howOften({ speaker, about }: SpeakerAndTopic, history: History): string {
  const theirs = utterancesBy(speaker, history);
  if ("problem" in theirs) return theirs.problem;
  const { said, name } = theirs;
  const who = name === undefined ? "" : ` by ${name}`;
  if (about === undefined) return `${counted(said.length, "utterance")}${who}. ${sinceLine(history)}`;
  const topic = topicOf(about);
  const times = said.reduce((sum, { text }) => sum + occurrencesIn(text, topic), 0);
  return `${nameShown(topic)} was said ${counted(times, "time")}${who}. ${sinceLine(history)}`;
}

export function whenJoinedOrLeft(kind: "joined" | "left", speaker: string, history: History): string {
  const meant = speakersNamed(speaker, history);
  if ("problem" in meant) return meant.problem;
  const { isMeant, name } = meant;
  const times = history.presenceChanges
    .filter(({ speakerUri, hasJoined }) => isMeant(speakerUri) && hasJoined === (kind === "joined"))
    .map(({ at }) => utcTime(at, history.nowMs));
  if (times.length > 0) return `${name} ${kind} at ${[...new Set(times)].slice(-shownMax).join(", ")} UTC.`;
  if (kind === "left") return `I have not seen ${name} leave. ${sinceLine(history)}`;
  return `I do not know when ${name} joined. ${sinceLine(history)}`;
}

const peopleMax = 12;

export function whoWasHere({ people, said, presenceChanges, self, nowMs }: History): string {
  const others = people.all.filter(({ speakerUri }) => !isSameUri(speakerUri, self));
  const lines = others.slice(0, peopleMax).map(({ speakerUri }) => {
    const isIts = (one: { speakerUri: string }) => isSameUri(one.speakerUri, speakerUri);
    const count = said.filter(isIts).length;
    const its = presenceChanges.filter(isIts);
    const moves = its.slice(-2).map(({ at, hasJoined }) => `${hasJoined ? "joined" : "left"} ${utcTime(at, nowMs)}`);
    return `- **${people.nameOf(speakerUri)}**: ${[counted(count, "utterance"), ...moves].join(", ")}`;
  });
  const more = others.length - lines.length;
  return ["**Who took part** (UTC):", ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

export const greeting =
  'Hello, I am **Scribe**. I listen from now on. Ask me "summarise", "who said what?", "what did Ann say about lunch?" or "export as markdown".';

export const help =
  'I keep the record. Ask me: "summary of the last hour", "who said what?", "what did Ann say about lunch?", "who mentioned lunch?", "open questions", "decisions", "export as markdown".';

/** To a person who is alone with the scribe: not every utterance is a request, but each gets an answer. */
export const notedAlone = 'Noted. Ask me for a "summary" of it, or for "help".';

export const partlyWithheld =
  "_Not everyone here heard all of it, so I left out what some did not hear. Whisper to me to get everything you heard._";

const noted = "Noted: it is in the record for everyone who heard it.";

const bytesMax = 262_144;

const writers: Readonly<Record<ScribeFormat, (of: Transcript) => string>> = {
  markdown: markdownOf,
  mermaid: mermaidOf,
  jsonl: jsonlOf,
};

const scribeFormats = Object.keys(writers);

/** The transcript that all listeners of the answer may read. The oldest events are dropped when it is too large. */
function exportOf(format: ScribeFormat, context: AnswerContext): Omit<ScribeAnswer, "isAboutRecord"> | undefined {
  const { mimeType, ending, title } = exportKinds[format];
  const entries = entriesOf(context);
  for (let from = 0; from < entries.length; from += Math.max(1, Math.ceil((entries.length - from) / 8))) {
    const value = writers[format](transcriptOf(entries.slice(from), context));
    if (Buffer.byteLength(value) > bytesMax) continue;
    // `alt` is not in the specification: attachments of our page carry the file name there.
    const token: Token & { alt: string } = { value, alt: `transcript.${ending}` };
    const cut = from === 0 ? "" : ` It was too long: the oldest ${from} events are left out.`;
    const whose = context.isPrivate ? "as you may see it" : "as everyone here may see it";
    const text = `The transcript ${whose}, as ${title}: ${counted(entries.length - from, "event")}, text only.${cut}`;
    return { text, features: { transcript: { mimeType, tokens: [token] } } };
  }
  return undefined;
}

/** New numbers, because gaps would show how much was left out. */
function entriesOf({ visible, history }: AnswerContext): Transcript["entries"] {
  const isShown = ({ event: { eventType }, sender }: HistoryEntry) =>
    eventType === "utterance" || !isSameUri(sender, history.self);
  return visible.filter(isShown).map(({ at, sender, event }, index) => ({
    seq: index + 1,
    at,
    kind: "event" as const,
    sender,
    event: textOnly(event),
    ...(event.to?.speakerUri !== undefined && { target: event.to.speakerUri }),
  }));
}

function transcriptOf(entries: Transcript["entries"], { conversation, history, isPrivate }: AnswerContext): Transcript {
  const conversants = history.people.all.map(({ speakerUri, name }) => ({ speakerUri, conversationalName: name }));
  return { id: conversation.id, conversants, entries, ...(isPrivate && { readAs: history.asker }) };
}
