import { nameOf } from "@plenary/transcript";
import type { ConversationView, FoundAgent, Identification } from "../api/types.ts";
import { texts } from "../texts/texts.ts";

export type InviteByNeedProps = { onDone: () => void; onAddress: () => void };

/** A recommended agent, prepared for display. */
export type Match = {
  identification: Identification;
  name: string;
  organization: string;
  synopsis: string;
  /** 0 to 1; undefined when the recommender gave none. */
  score: number | undefined;
  /** Reasons of the recommendation. */
  why: readonly string[];
  isDiscovery: boolean;
  /** Its speakerUri if it is here already. */
  hereAs: string | undefined;
};

const nameMax = 80;
const synopsisMax = 240;
const whyMax = 160;

/** Keeps the server's order, best first. Texts are cut because other parties wrote them. */
export function matchesOf(found: readonly FoundAgent[], view: ConversationView): Match[] {
  const here = new Map(
    view.conversants.flatMap(({ identification: { speakerUri, serviceUrl } }) => [
      [serviceUrl, speakerUri],
      [speakerUri, speakerUri],
    ]),
  );
  return found.map((one) => {
    const { identification } = one.manifest;
    const { speakerUri, serviceUrl, organization, synopsis } = identification;
    return {
      identification,
      name: short(nameOf(speakerUri, identification), nameMax),
      organization: short(organization, nameMax),
      synopsis: short(synopsis, synopsisMax),
      score: one.score,
      why: whyOf(one),
      isDiscovery: one.kind === "discovery",
      hereAs: here.get(speakerUri) ?? here.get(serviceUrl),
    };
  });
}

function whyOf({ reasons = {} }: FoundAgent): string[] {
  const { words = [], language, layers = [], health, via, isUnverified } = reasons;
  const parts = [
    isUnverified ? texts.invite.unverified : "",
    words.length > 0 ? texts.invite.matchesWords(words.join(", ")) : "",
    language === undefined ? "" : texts.invite.knowsLanguage(language),
    layers.length > 0 ? texts.invite.hasLayers(layers.join(", ")) : "",
    health === undefined ? "" : texts.agents.health[health],
    via === undefined ? "" : texts.invite.recommendedBy(via),
  ];
  return parts.filter((part) => part !== "").map((part) => short(part, whyMax));
}

function short(text: string, max: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > max ? `${line.slice(0, max).trimEnd()}…` : line;
}
