// What it says to people who ask in words, and what hosts can act on beside it.
import {
  type Conversation,
  type FloorEvent,
  foldUri,
  isPrivate,
  isSameUri,
  publishManifests,
  type Sender,
} from "@plenary/protocol";
import type { HeardUtterance } from "@plenary/sdk";
import { heed, isGreeting, isThanks, welcome } from "../../addressing.ts";
import { quoted } from "../../scribe/quote.ts";
import type { Allowance } from "../quotas.ts";
import { fitting } from "../visibility.ts";
import { type Candidate, type Choice, chosenFor, chosenHere, type Mind } from "./candidates.ts";
import { listed, nameOf, reasonWords } from "./reasons.ts";
import { taskText, wishIn } from "./task.ts";

export const greeting = "I find agents. Tell me what you need, and I say who can help.";

const namedMax = 3;
const synopsisMax = 160;

const tooMuch = "That is more than I look up at once. Ask me again, one thing at a time.";

type Speaker = { self: Sender; name: string };

/** Who was asked what is needed, by speakerUri, and has said nothing since. */
export type Listening = Set<string>;

const listeningMax = 64;
/** The first person who speaks. */
const anyPerson = "";

function listenTo(speakerUri: string, listening: Listening): void {
  if (listening.size < listeningMax) listening.add(foldUri(speakerUri));
}

/** Where the inviter is not among the conversants, the floor invites on behalf of a person that it does not name. */
export function listenToInviter(
  { speakerUri }: Sender,
  { conversants = [] }: Conversation,
  listening: Listening,
): void {
  const isListed = conversants.some(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
  listenTo(isListed ? speakerUri : anyPerson, listening);
}

type Spoken = Pick<HeardUtterance<Listening>, "speakerUri" | "speakerKind" | "state">;

/** The next words of somebody it has asked are the answer; words to another conversant show that there is none. */
export function stopListening({ speakerUri, speakerKind, state }: Spoken): boolean {
  if (state.delete(foldUri(speakerUri))) return true;
  return speakerKind(speakerUri) !== "agent" && state.delete(anyPerson);
}

/**
 * Silent unless it is called, or has just asked. An agent gets an answer where there is one; where there is none, only a
 * person gets words.
 */
export async function answerInWords(
  heard: HeardUtterance<Listening>,
  { self, name }: Speaker,
  mind: Mind,
): Promise<FloorEvent[]> {
  const { call, isPerson, text } = heed(heard, name);
  const { say, sender, speakerUri, signal, state } = heard;
  const wasAsked = stopListening(heard);
  const isMeant = call === "called" || (call === "open" && wasAsked);
  if (!isMeant) return [];
  const task = taskText(text);
  if (task === "" || (isPerson && (isGreeting(text) || isThanks(text)))) {
    if (!isPerson) return [];
    if (wasAsked || !isThanks(text)) listenTo(speakerUri, state);
    // Said to everyone, it asks for nothing.
    return call === "called" ? [say(isThanks(text) ? welcome : greeting)] : [];
  }
  const allowance = mind.allowanceOf(sender);
  if (!allowance.takeQuestion()) return isPerson ? [say(tooMuch)] : [];
  await mind.crawl.ready();
  const situation = { self, asker: sender, wish: wishIn([heard.dialogEvent]), signal };
  // What is whispered to this agent is for nobody else.
  const choice = heard.isPrivate ? chosenHere(task, situation, mind) : await chosenFor(task, situation, mind);
  if (choice.servicing.length === 0 && !isPerson) return [];
  const words = say(wordsFor(choice));
  // Spec 2.2: only utterances are private. Names for all to see would tell what was whispered.
  if (isPrivate(words) || choice.servicing.length === 0) return [words];
  return [words, delegation(choice, sender, allowance)];
}

/** Spec 1.18: a soft delegation, for whoever may invite. */
function delegation({ servicing, discovery }: Choice, { speakerUri }: Sender, allowance: Allowance): FloorEvent {
  const manifestsOf = (candidates: readonly Candidate[]) =>
    fitting(candidates.slice(0, namedMax), allowance).map(({ manifest }) => manifest);
  return publishManifests({
    to: { speakerUri },
    servicingManifests: manifestsOf(servicing),
    discoveryManifests: manifestsOf(discovery),
  });
}

function wordsFor({ servicing, discovery }: Choice): string {
  const [first, ...others] = servicing.slice(0, namedMax);
  if (first === undefined) {
    return discovery.length === 0
      ? "I know nobody who could help with that."
      : `I know nobody who could help with that, but ${listed(discovery)} may: ask there.`;
  }
  if (others.length === 0) return `You could ask ${inFull(first)}`;
  return [`You could ask ${inFull(first)}`, "", "or", "", ...others.map((one) => `- ${inFull(one)}`)].join("\n");
}

function inFull(candidate: Candidate): string {
  const { synopsis } = candidate.manifest.identification;
  const about = synopsis === "" ? "" : `: ${quoted(synopsis, synopsisMax)}`;
  const why = reasonWords(candidate.reasons);
  return `**${nameOf(candidate)}**${about}${why === "" ? "" : ` (${why})`}`;
}
