import type { EventOf } from "@plenary/protocol";
import { type Heard, type Reasons, reasonsFeature, type TellingReasons } from "@plenary/sdk";
import { nameShown } from "../../scribe/quote.ts";
import type { Candidate } from "./candidates.ts";

const namedMax = 3;
const wordsMax = 4;
const layersMax = 4;

/** Our extension: why each is recommended, for the asker alone, readable and as a feature. */
export function reasonsSaid(
  servicing: readonly Candidate[],
  discovery: readonly Candidate[],
  { whisper }: Pick<Heard<unknown>, "whisper">,
): EventOf<"utterance"> {
  const event = whisper(inShort(servicing, discovery));
  const telling: TellingReasons = {
    reasons: [...servicing, ...discovery].map(({ manifest: { identification }, reasons }) => {
      const { speakerUri, serviceUrl } = identification;
      return { ...reasons, speakerUri, serviceUrl };
    }),
  };
  const { name, mimeType } = reasonsFeature;
  event.parameters.dialogEvent.features[name] = { mimeType, tokens: [{ value: telling }] };
  return event;
}

function inShort(servicing: readonly Candidate[], discovery: readonly Candidate[]): string {
  if (servicing.length > 0) return servicing.slice(0, namedMax).map(candidateWords).join("; ");
  if (discovery.length === 0) return "I know nobody who could help with that.";
  return `I know nobody who could help with that. ${listed(discovery)} may know somebody.`;
}

export function listed(candidates: readonly Candidate[]): string {
  const named = (one: Candidate) => (one.reasons.isUnverified ? `${nameOf(one)} (${notVerified})` : nameOf(one));
  return candidates.slice(0, namedMax).map(named).join(", ");
}

const notVerified = "not verified";

export function nameOf({ manifest: { identification } }: Candidate): string {
  return nameShown(identification.conversationalName) || nameShown(identification.speakerUri);
}

function candidateWords(candidate: Candidate): string {
  const why = reasonWords(candidate.reasons);
  return why === "" ? nameOf(candidate) : `${nameOf(candidate)} (${why})`;
}

/** What it matched, and what is to be known before it is invited. */
export function reasonWords({ words, language, layers = [], health, via, isUnverified }: Reasons): string {
  const parts = [
    isUnverified === true ? notVerified : "",
    words.slice(0, wordsMax).map(nameShown).join(", "),
    language === undefined ? "" : `speaks ${nameShown(language)}`,
    layers.slice(0, layersMax).map(nameShown).join(", "),
    health === undefined || health === "answering" ? "" : `${health} when last asked`,
    via === undefined ? "" : `recommended by ${nameShown(via)}`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}
