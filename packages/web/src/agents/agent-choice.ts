import { singleLine } from "@plenary/transcript";
import type { KnownAgent } from "../api/types.ts";

/** An agent in a list to choose from. */
export type AgentChoice = {
  serviceUrl: string;
  name: string;
  synopsis?: string;
  /** Undefined for an agent that was added by its address. */
  known?: KnownAgent;
  /** Its manifest offers the convener role. */
  canConvene: boolean;
};

export function choiceOf(known: KnownAgent): AgentChoice {
  const { serviceUrl, manifest } = known;
  const identification = manifest?.identification;
  const synopsis = identification?.synopsis?.trim();
  return {
    serviceUrl,
    name: singleLine(identification?.conversationalName ?? "") || serviceUrl,
    ...(synopsis ? { synopsis } : {}),
    known,
    canConvene: identification?.openFloorRoles?.convener === true,
  };
}

export function otherChoice(serviceUrl: string): AgentChoice {
  return { serviceUrl, name: serviceUrl, canConvene: false };
}

/** Agents that answer come first, then by name. */
export function choicesOf(agents: readonly KnownAgent[]): AgentChoice[] {
  const rank = ({ known }: AgentChoice) => Number(known?.health !== "answering");
  return agents.map(choiceOf).sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** The chosen agents, those that offer to convene first. Any of them may be appointed. */
export function convenersOf(choices: readonly AgentChoice[], chosen: ReadonlySet<string>): AgentChoice[] {
  const here = choices.filter(({ serviceUrl }) => chosen.has(serviceUrl));
  return here.sort((a, b) => Number(b.canConvene) - Number(a.canConvene));
}
