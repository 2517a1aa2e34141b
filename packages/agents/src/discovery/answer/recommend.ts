// Whom to recommend: the three use cases of getManifests (spec 1.17).
import type { Manifest, Sender } from "@plenary/protocol";
import type { HeardManifestsQuestion, Recommendation } from "@plenary/sdk";
import { audienceOf, fitting } from "../visibility.ts";
import { type Candidate, chosenFor, inGeneral, type Mind, scoreOf } from "./candidates.ts";
import { published } from "./consult.ts";
import { reasonsSaid } from "./reasons.ts";
import { taskText, wishIn } from "./task.ts";

const ofOneSpeakerMax = 10;
const nobody: Recommendation = { servicingManifests: [], discoveryManifests: [] };

export async function recommend(
  heard: HeardManifestsQuestion<unknown>,
  mind: Mind,
): Promise<Recommendation | undefined> {
  const { scope, own, sender, tasks, signal, isAddressed, dialect } = heard;
  const text = taskText(heard.text);
  if (scope === "internal") return text === "" ? undefined : ownFor(text, own, isAddressed);
  const allowance = mind.allowanceOf(sender);
  if (!allowance.takeQuestion()) return nobody;
  await mind.crawl.ready();
  const situation = { self: senderOf(own), asker: sender, wish: wishIn(tasks), signal };
  // 0.9.3, 1.17: without a whisper, the favourite general purpose assistant.
  if (dialect === "0.9" && text === "") return favored(mind.favorite());
  const choice = text === "" ? inGeneral(situation, mind) : await chosenFor(text, situation, mind);
  const isMeant = scope === "all" && (text === "" || isFinding(text));
  const self: Candidate[] = isMeant ? [{ manifest: { ...own, score: 1 }, reasons: { words: [] } }] : [];
  const servicing = fitting([...self, ...choice.servicing], allowance);
  const discovery = fitting(choice.discovery, allowance);
  // Asked with everyone, whoever is not sure says nothing.
  if (!isAddressed && servicing.length === 0) return undefined;
  const said = situation.wish.isExplained === true && reasonsSaid(servicing, discovery, heard);
  return {
    servicingManifests: servicing.map(({ manifest }) => manifest),
    discoveryManifests: discovery.map(({ manifest }) => manifest),
    ...(said && { said }),
  };
}

/** Spec 1.17: asked for one speaker at our address, we tell of that one alone, or of discovery agents who may know it. */
export async function recommendAnother(
  { event, scope, own, sender, signal }: HeardManifestsQuestion<unknown>,
  mind: Mind,
): Promise<Recommendation> {
  const speakerUri = event.to?.speakerUri;
  const allowance = mind.allowanceOf(sender);
  if (scope === "internal" || speakerUri === undefined || !allowance.takeQuestion()) return nobody;
  await mind.crawl.ready();
  const situation = { self: senderOf(own), asker: sender, wish: wishIn([]), signal };
  const { isShown } = audienceOf(situation, mind.crawl, mind.isHost);
  const found = mind.crawl.catalogue.withSpeaker(speakerUri).filter(isShown).slice(0, ofOneSpeakerMax);
  const told = found.map((known) => ({ manifest: published(known.manifest, scoreOf(known)) }));
  const servicingManifests = fitting(told, allowance).map(({ manifest }) => manifest);
  if (found.length > 0) return { servicingManifests, discoveryManifests: [] };
  const discovery = fitting(inGeneral(situation, mind).discovery, allowance);
  return { servicingManifests: [], discoveryManifests: discovery.map(({ manifest }) => manifest) };
}

function senderOf({ identification: { speakerUri, serviceUrl } }: Manifest): Sender {
  return { speakerUri, serviceUrl };
}

/** Use case 2: of all that can be asked, this agent does one thing itself. */
function ownFor(text: string, own: Manifest, isAddressed: boolean): Recommendation | undefined {
  if (isFinding(text)) return { servicingManifests: [{ ...own, score: 1 }], discoveryManifests: [] };
  return isAddressed ? { servicingManifests: [], discoveryManifests: [] } : undefined;
}

function favored(favorite: Manifest | undefined): Recommendation {
  return { servicingManifests: favorite === undefined ? [] : [published(favorite, 1)], discoveryManifests: [] };
}

const finding =
  /\b(?:find|finding|recommend|suggest|discover|search|seek|looking|look)\b.{0,60}\b(?:agents?|assistants?|bots?|someone|somebody|experts?|specialists?)\b|\bwho (?:can|could|might) (?:help|do|answer)\b|\bdiscovery\b/iu;

function isFinding(text: string): boolean {
  return finding.test(text);
}
