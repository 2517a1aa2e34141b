import { written } from "../model/people.ts";
import type { KnownAgent } from "../wire/types.ts";

/** An agent as it can be picked. */
export type AgentChoice = {
  serviceUrl: string;
  name: string;
  synopsis?: string;
  isSilent: boolean;
  /** It says it can give and take the floor. */
  canConvene: boolean;
};

export function choiceOf({ serviceUrl, manifest, health }: KnownAgent): AgentChoice {
  const identification = manifest?.identification;
  const synopsis = identification?.synopsis?.trim();
  return {
    serviceUrl,
    name: written(identification?.conversationalName ?? "") || serviceUrl,
    ...(synopsis ? { synopsis } : {}),
    isSilent: health === "silent",
    canConvene: identification?.openFloorRoles?.convener === true,
  };
}

export function otherChoice(serviceUrl: string): AgentChoice {
  return { serviceUrl, name: serviceUrl, isSilent: false, canConvene: false };
}

/** Whoever answers first, then by name. */
export function inOrder(choices: readonly AgentChoice[]): AgentChoice[] {
  return [...choices].sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || a.name.localeCompare(b.name));
}

/** Those who say they can convene first; any of the chosen may be appointed. */
export function convenersOf(choices: readonly AgentChoice[], chosen: ReadonlySet<string>): AgentChoice[] {
  const here = choices.filter(({ serviceUrl }) => chosen.has(serviceUrl));
  return here.sort((a, b) => Number(b.canConvene) - Number(a.canConvene));
}
