// Direct answers: who, what, when, how often.

import { isSameUri } from "@plenary/protocol";
import { counted } from "@plenary/transcript";
import type { History, Said } from "./history.ts";
import { nameShown } from "./quote.ts";
import { search, timesIn, topicOf } from "./search.ts";
import { meantBy, saidByAny } from "./selection.ts";
import { lineOf, nothing, sinceLine } from "./summary.ts";
import { timeOf } from "./times.ts";

const shownMax = 6;

type About = { speaker?: string; about?: string };

export async function whatWasSaid({ speaker, about }: About, history: History): Promise<string> {
  const meant = speaker === undefined ? undefined : meantBy(speaker, history);
  if (meant !== undefined && "problem" in meant) return meant.problem;
  const theirs = meant === undefined ? history.said : saidByAny(history.said, meant.speakers);
  const found = about === undefined ? theirs : await search(theirs, about);
  const topic = about === undefined ? "" : ` about ${nameShown(topicOf(about))}`;
  const who = meant?.name ?? "anybody";
  if (found.length === 0) return `I have not heard ${who} say anything${topic}. ${sinceLine(history)}`;
  const head = who === "you" ? "You" : (meant?.name ?? "Said");
  return listed(`**${head}${topic}** (${counted(found.length, "utterance")}, UTC):`, found, history);
}

export async function whoMentioned(about: string, history: History): Promise<string> {
  const found = await search(history.said, about);
  const topic = nameShown(topicOf(about));
  if (found.length === 0) return `I have heard nobody mention ${topic}. ${sinceLine(history)}`;
  const names = [...new Set(found.map(({ speakerUri }) => history.people.nameOf(speakerUri)))];
  return listed(`**${topic}** was mentioned by ${names.slice(0, shownMax).join(", ")} (UTC):`, found, history);
}

/** The newest are shown. */
function listed(head: string, found: readonly Said[], history: History): string {
  const shown = found.slice(-shownMax);
  const earlier = found.length - shown.length;
  const lines = shown.map((one) => `- ${lineOf(one, history)}`);
  return [head, ...(earlier > 0 ? [`- (${earlier} earlier)`] : []), ...lines].join("\n");
}

export function theLast(speaker: string | undefined, history: History): string {
  const meant = speaker === undefined ? undefined : meantBy(speaker, history);
  if (meant !== undefined && "problem" in meant) return meant.problem;
  const last = (meant === undefined ? history.said : saidByAny(history.said, meant.speakers)).at(-1);
  if (last === undefined) return nothing(meant === undefined ? "" : ` of ${meant.name}`, history);
  return `${lineOf(last, history)} (UTC)`;
}

export function howOften({ speaker, about }: About, history: History): string {
  const meant = speaker === undefined ? undefined : meantBy(speaker, history);
  if (meant !== undefined && "problem" in meant) return meant.problem;
  const theirs = meant === undefined ? history.said : saidByAny(history.said, meant.speakers);
  const who = meant === undefined ? "" : ` by ${meant.name}`;
  if (about === undefined) return `${counted(theirs.length, "utterance")}${who}. ${sinceLine(history)}`;
  const topic = topicOf(about);
  const times = theirs.reduce((sum, { text }) => sum + timesIn(text, topic), 0);
  return `${nameShown(topic)} was said ${counted(times, "time")}${who}. ${sinceLine(history)}`;
}

export function whenCame(kind: "joined" | "left", speaker: string, history: History): string {
  const meant = meantBy(speaker, history);
  if ("problem" in meant) return meant.problem;
  const isMeant = (speakerUri: string) => meant.speakers.some((one) => isSameUri(one, speakerUri));
  const times = history.comings
    .filter(({ speakerUri, hasCome }) => isMeant(speakerUri) && hasCome === (kind === "joined"))
    .map(({ at }) => timeOf(at, history.nowMs));
  const { name } = meant;
  if (times.length > 0) return `${name} ${kind} at ${[...new Set(times)].slice(-shownMax).join(", ")} UTC.`;
  if (kind === "left") return `I have not noticed that ${name} left. ${sinceLine(history)}`;
  return `When ${name} joined I cannot tell. ${sinceLine(history)}`;
}

const peopleMax = 12;

export function whoWasHere({ people, said, comings, self, nowMs }: History): string {
  const others = people.all.filter(({ speakerUri }) => !isSameUri(speakerUri, self));
  const lines = others.slice(0, peopleMax).map(({ speakerUri }) => {
    const count = saidByAny(said, [speakerUri]).length;
    const its = comings.filter((one) => isSameUri(one.speakerUri, speakerUri));
    const moves = its.slice(-2).map(({ at, hasCome }) => `${hasCome ? "joined" : "left"} ${timeOf(at, nowMs)}`);
    return `- **${people.nameOf(speakerUri)}**: ${[counted(count, "utterance"), ...moves].join(", ")}`;
  });
  const more = others.length - lines.length;
  return ["**Who took part** (UTC):", ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}
