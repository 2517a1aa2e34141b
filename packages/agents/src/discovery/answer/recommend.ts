// Answers getManifests: the three use cases of spec 1.17.
import type { Manifest, Sender } from "@plenary/protocol";
import type { GetManifestsInput, Recommendation } from "@plenary/sdk";
import { visibilityFor, withinQuota } from "../visibility.ts";
import {
  type DiscoveryContext,
  generalScore,
  type Recommended,
  recommendFor,
  recommendInGeneral,
} from "./candidates.ts";
import { withScore } from "./consult.ts";
import { explain } from "./reply.ts";
import { taskOptionsIn, taskText } from "./task.ts";

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
  if (!quota.takeQuestion()) return none;
  await context.crawler.ready();
  const asking = { self: senderOf(own), asker: sender, options: taskOptionsIn(tasks), signal };
  // 0.9.3, 1.17: without a whisper, the favourite general purpose assistant.
  if (dialect === "0.9" && text === "") return favoriteOnly(context.favorite());
  const choice = text === "" ? recommendInGeneral(asking, context) : await recommendFor(text, asking, context);
  const includesSelf = scope === "all" && (text === "" || isFinding(text));
  const self: Recommended[] = includesSelf ? [{ manifest: { ...own, score: 1 }, reasons: { words: [] } }] : [];
  const servicing = withinQuota([...self, ...choice.servicing], quota);
  const discovery = withinQuota(choice.discovery, quota);
  // A question to everyone: stay silent without a recommendation.
  if (!isAddressed && servicing.length === 0) return undefined;
  const said = asking.options.isExplained === true && explain(servicing, discovery, heard);
  return {
    servicingManifests: servicing.map(({ manifest }) => manifest),
    discoveryManifests: discovery.map(({ manifest }) => manifest),
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
  if (scope === "internal" || speakerUri === undefined || !quota.takeQuestion()) return none;
  await context.crawler.ready();
  const asking = { self: senderOf(own), asker: sender, options: taskOptionsIn([]), signal };
  const { isShown } = visibilityFor(asking, context.crawler, context.isHost);
  const found = context.crawler.catalogue.withSpeaker(speakerUri).filter(isShown).slice(0, ofOneSpeakerMax);
  const shown = found.map((known) => ({ manifest: withScore(known.manifest, generalScore(known)) }));
  const servicingManifests = withinQuota(shown, quota).map(({ manifest }) => manifest);
  if (found.length > 0) return { servicingManifests, discoveryManifests: [] };
  const discovery = withinQuota(recommendInGeneral(asking, context).discovery, quota);
  return { servicingManifests: [], discoveryManifests: discovery.map(({ manifest }) => manifest) };
}

function senderOf({ identification: { speakerUri, serviceUrl } }: Manifest): Sender {
  return { speakerUri, serviceUrl };
}

/** Use case 2: this agent itself can only find agents. */
function ownFor(text: string, own: Manifest, isAddressed: boolean): Recommendation | undefined {
  if (isFinding(text)) return { servicingManifests: [{ ...own, score: 1 }], discoveryManifests: [] };
  return isAddressed ? { servicingManifests: [], discoveryManifests: [] } : undefined;
}

function favoriteOnly(favorite: Manifest | undefined): Recommendation {
  return { servicingManifests: favorite === undefined ? [] : [withScore(favorite, 1)], discoveryManifests: [] };
}

const findingPattern =
  /\b(?:find|finding|recommend|suggest|discover|search|seek|looking|look)\b.{0,60}\b(?:agents?|assistants?|bots?|someone|somebody|experts?|specialists?)\b|\bwho (?:can|could|might) (?:help|do|answer)\b|\bdiscovery\b/iu;

function isFinding(text: string): boolean {
  return findingPattern.test(text);
}
