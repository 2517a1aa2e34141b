// Answers to utterances, and the texts that explain recommendations.
import {
  type Conversation,
  type EventOf,
  type FloorEvent,
  foldUri,
  isPrivate,
  isSameUri,
  type Manifest,
  publishManifests,
  type ScoredManifest,
  type Sender,
} from "@plenary/protocol";
import {
  type GetManifestsInput,
  type HandlerInput,
  type Reasons,
  type ReasonsPayload,
  type Recommendation,
  reasonsFeature,
  type UtteranceInput,
} from "@plenary/sdk";
import { addressingOf, isGreeting, isThanks, welcome } from "../../addressing.ts";
import { nameShown, quoted } from "../../scribe/quote.ts";
import type { EnvelopeQuota } from "../quotas.ts";
import { visibilityFor, withinQuota } from "../visibility.ts";
import {
  type DiscoveryContext,
  generalScore,
  type Recommendations,
  type Recommended,
  recommendFor,
  recommendInGeneral,
  recommendLocally,
} from "./candidates.ts";
import { taskOptionsIn, taskText, withScore } from "./consult.ts";

export const greeting = "I find agents. Tell me what you need, and I will say who can help.";

const namedMax = 3;
const synopsisMax = 160;

const tooMuch = "That is too much at once. Please ask again, one thing at a time.";

type SelfDescription = { self: Sender; name: string };

/** Speakers who were asked what they need and have not spoken since; by folded speakerUri. */
export type AwaitedSpeakers = Set<string>;

const awaitedMax = 64;
/** Stands for the first person who speaks. */
const anyPerson = "";

function awaitTask(speakerUri: string, awaited: AwaitedSpeakers): void {
  if (awaited.size < awaitedMax) awaited.add(foldUri(speakerUri));
}

/** If the inviter is not a conversant, the floor invites for a person whose name it does not send. */
export function awaitTaskOfInviter(
  { speakerUri }: Sender,
  { conversants = [] }: Conversation,
  awaited: AwaitedSpeakers,
): void {
  const isListed = conversants.some(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
  awaitTask(isListed ? speakerUri : anyPerson, awaited);
}

type SpokenUtterance = Pick<UtteranceInput<AwaitedSpeakers>, "speakerUri" | "speakerKind" | "state">;

/** Any next utterance of the speaker ends the wait, also one to another conversant. */
export function stopAwaiting({ speakerUri, speakerKind, state }: SpokenUtterance): boolean {
  if (state.delete(foldUri(speakerUri))) return true;
  return speakerKind(speakerUri) !== "agent" && state.delete(anyPerson);
}

/**
 * Answers only if it is addressed or has just asked. Without a recommendation only a person gets an answer.
 */
export async function replyInWords(
  heard: UtteranceInput<AwaitedSpeakers>,
  { self, name }: SelfDescription,
  context: DiscoveryContext,
): Promise<FloorEvent[]> {
  const { call, isPerson, text } = addressingOf(heard, name);
  const { say, sender, speakerUri, signal, state } = heard;
  const wasAsked = stopAwaiting(heard);
  const isMeant = call === "called" || (call === "open" && wasAsked);
  if (!isMeant) return [];
  const task = taskText(text);
  if (task === "" || (isPerson && (isGreeting(text) || isThanks(text)))) {
    if (!isPerson) return [];
    if (wasAsked || !isThanks(text)) awaitTask(speakerUri, state);
    // A public greeting or thanks needs no answer.
    return call === "called" ? [say(isThanks(text) ? welcome : greeting)] : [];
  }
  const quota = context.quotaOf(sender);
  if (!quota("questions")) return isPerson ? [say(tooMuch)] : [];
  await context.crawler.ready();
  const asking = { self, asker: sender, options: taskOptionsIn([heard.dialogEvent]), signal };
  // A whispered task is not passed on to other agents.
  const recommendations = heard.isPrivate
    ? recommendLocally(task, asking, context)
    : await recommendFor(task, asking, context);
  if (recommendations.servicing.length === 0 && !isPerson) return [];
  const words = say(replyText(recommendations));
  // Spec 2.2: only utterances are private. Public manifests would reveal the whispered task.
  if (isPrivate(words) || recommendations.servicing.length === 0) return [words];
  return [words, softDelegation(recommendations, sender, quota)];
}

/** Spec 1.18: hosts can invite the agents from it. */
function softDelegation({ servicing, discovery }: Recommendations, to: Sender, quota: EnvelopeQuota): FloorEvent {
  return publishManifests({
    to: { speakerUri: to.speakerUri },
    servicingManifests: manifestsOf(withinQuota(servicing.slice(0, namedMax), quota)),
    discoveryManifests: manifestsOf(withinQuota(discovery.slice(0, namedMax), quota)),
  });
}

function manifestsOf(candidates: readonly Pick<Recommended, "manifest">[]): ScoredManifest[] {
  return candidates.map(({ manifest }) => manifest);
}

function replyText({ servicing, discovery }: Recommendations): string {
  const [first, ...others] = servicing.slice(0, namedMax).map(describe);
  if (first === undefined) return noAgentFor(discovery);
  const more = others.length === 0 ? [] : ["", "or", "", ...others.map((one) => `- ${one}`)];
  return [`You could ask ${first}`, ...more].join("\n");
}

function describe(candidate: Recommended): string {
  const { synopsis } = candidate.manifest.identification;
  const about = synopsis === "" ? "" : `: ${quoted(synopsis, synopsisMax)}`;
  return `**${nameOf(candidate)}**${about}${reasonText(candidate.reasons)}`;
}

const wordsMax = 4;
const layersMax = 4;

/** Our extension: a whisper with the reasons of each recommendation, as text and as a feature. */
function explain(
  servicing: readonly Recommended[],
  discovery: readonly Recommended[],
  { whisper }: Pick<HandlerInput<unknown>, "whisper">,
): EventOf<"utterance"> {
  const named = servicing
    .slice(0, namedMax)
    .map((one) => `${nameOf(one)}${reasonText(one.reasons)}`)
    .join("; ");
  const event = whisper(servicing.length > 0 ? named : noAgentFor(discovery));
  const content: ReasonsPayload = {
    reasons: [...servicing, ...discovery].map(({ manifest: { identification }, reasons }) => {
      const { speakerUri, serviceUrl } = identification;
      return { ...reasons, speakerUri, serviceUrl };
    }),
  };
  const { name, mimeType } = reasonsFeature;
  event.parameters.dialogEvent.features[name] = { mimeType, tokens: [{ value: content }] };
  return event;
}

function noAgentFor(discovery: readonly Recommended[]): string {
  const text = "I know no agent that can help with that.";
  const named = (one: Recommended) => (one.reasons.isUnverified ? `${nameOf(one)} (${notVerified})` : nameOf(one));
  return discovery.length === 0 ? text : `${text} ${discovery.slice(0, namedMax).map(named).join(", ")} may know one.`;
}

const notVerified = "not verified";

function nameOf({ manifest: { identification } }: Recommended): string {
  return nameShown(identification.conversationalName) || nameShown(identification.speakerUri);
}

/** In parentheses; empty without reasons. */
function reasonText({ words, language, layers = [], health, via, isUnverified }: Reasons): string {
  const parts = [
    isUnverified === true ? notVerified : "",
    words.slice(0, wordsMax).map(nameShown).join(", "),
    language === undefined ? "" : `speaks ${nameShown(language)}`,
    layers.slice(0, layersMax).map(nameShown).join(", "),
    health === undefined || health === "answering" ? "" : `${health} when last asked`,
    via === undefined ? "" : `recommended by ${nameShown(via)}`,
  ];
  const why = parts.filter((part) => part !== "").join("; ");
  return why === "" ? "" : ` (${why})`;
}

// Answers getManifests: the three use cases of spec 1.17.
const ofOneSpeakerMax = 10;
const none: Recommendation = { servicingManifests: [], discoveryManifests: [] };

export async function recommend(
  heard: GetManifestsInput<unknown>,
  context: DiscoveryContext,
): Promise<Recommendation | undefined> {
  const { scope, own, sender, tasks, signal, isAddressed, dialect } = heard;
  const text = taskText(heard.text);
  if (scope === "internal") return text === "" ? undefined : ownFor(text, own, isAddressed);
  const quota = context.quotaOf(sender);
  if (!quota("questions")) return none;
  await context.crawler.ready();
  const asking = { self: senderOf(own), asker: sender, options: taskOptionsIn(tasks), signal };
  // 0.9.3, 1.17: without a whisper, the favourite general purpose assistant.
  if (dialect === "0.9" && text === "") {
    const favorite = context.favorite();
    return favorite === undefined ? none : { ...none, servicingManifests: [withScore(favorite, 1)] };
  }
  const choice = text === "" ? recommendInGeneral(asking, context) : await recommendFor(text, asking, context);
  const includesSelf = scope === "all" && (text === "" || findingPattern.test(text));
  const self: Recommended[] = includesSelf ? [{ manifest: { ...own, score: 1 }, reasons: { words: [] } }] : [];
  const servicing = withinQuota([...self, ...choice.servicing], quota);
  const discovery = withinQuota(choice.discovery, quota);
  // A question to everyone: stay silent without a recommendation.
  if (!isAddressed && servicing.length === 0) return undefined;
  const said = asking.options.isExplained === true && explain(servicing, discovery, heard);
  return {
    servicingManifests: manifestsOf(servicing),
    discoveryManifests: manifestsOf(discovery),
    ...(said && { said }),
  };
}

/** Spec 1.17: a question for another speaker at our address. Answers with that speaker, or with discovery agents. */
export async function recommendAnother(
  { event, scope, own, sender, signal }: GetManifestsInput<unknown>,
  context: DiscoveryContext,
): Promise<Recommendation> {
  const speakerUri = event.to?.speakerUri;
  const quota = context.quotaOf(sender);
  if (scope === "internal" || speakerUri === undefined || !quota("questions")) return none;
  await context.crawler.ready();
  const asking = { self: senderOf(own), asker: sender, options: taskOptionsIn([]), signal };
  const { isShown } = visibilityFor(asking, context);
  const found = context.crawler.catalogue.withSpeaker(speakerUri).filter(isShown).slice(0, ofOneSpeakerMax);
  const shown = found.map((known) => ({ manifest: withScore(known.manifest, generalScore(known)) }));
  if (found.length > 0) return { ...none, servicingManifests: manifestsOf(withinQuota(shown, quota)) };
  const { discovery } = recommendInGeneral(asking, context);
  return { ...none, discoveryManifests: manifestsOf(withinQuota(discovery, quota)) };
}

function senderOf({ identification: { speakerUri, serviceUrl } }: Manifest): Sender {
  return { speakerUri, serviceUrl };
}

/** Use case 2: this agent itself can only find agents. */
function ownFor(text: string, own: Manifest, isAddressed: boolean): Recommendation | undefined {
  if (findingPattern.test(text)) return { ...none, servicingManifests: [{ ...own, score: 1 }] };
  return isAddressed ? none : undefined;
}

const findingPattern =
  /\b(?:find|finding|recommend|suggest|discover|search|seek|looking|look)\b.{0,60}\b(?:agents?|assistants?|bots?|someone|somebody|experts?|specialists?)\b|\bwho (?:can|could|might) (?:help|do|answer)\b|\bdiscovery\b/iu;
