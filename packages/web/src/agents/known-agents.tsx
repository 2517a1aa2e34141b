import type { KnownAgent } from "@plenary/client";
import { singleLine } from "@plenary/transcript";
import { useCallback, useEffect, useState } from "react";
import { texts } from "../texts/texts.ts";
import { useAsyncAction } from "../ui/use-async-action.ts";

export type KnownAgents = ReturnType<typeof useKnownAgents>;

/** The agents that this floor knows, loaded once; undefined until then. */
export function useKnownAgents(load: () => Promise<readonly KnownAgent[]>) {
  const [agents, setAgents] = useState<readonly KnownAgent[]>();
  const [loadAgents] = useState(() => load);
  const { error, run } = useAsyncAction("caller");
  const reload = useCallback(() => {
    void run(async () => setAgents(await loadAgents()));
  }, [loadAgents, run]);
  useEffect(reload, [reload]);
  return { agents, error, reload };
}

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

/** Health of an agent, its dialect if it is an old one, and the rules that its documents break. */
export function HealthStatus({ agent }: { agent: KnownAgent }) {
  const { health, dialect = "1.1", quirks } = agent;
  return (
    <>
      <p className={health === "answering" ? "floor-health" : "floor-health floor-silent"}>
        {healthText(agent)}
        {dialect !== "1.1" && <span className="floor-chip">{texts.agents.dialect(dialect)}</span>}
      </p>
      {quirks.length > 0 && (
        <details className="floor-quirks">
          <summary>{texts.agents.brokenRules(quirks.length)}</summary>
          <ul>
            {quirks.map(({ rule, says, fix }) => (
              <li key={rule}>
                {says}: {fix}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Health at the last contact, or the reason why it failed. */
export function healthText({ health, latencyMs, trouble }: KnownAgent): string {
  if (health !== "answering") return `${texts.agents.health[health]}${trouble ? `: ${trouble.detail}` : ""}`;
  if (latencyMs === undefined) return texts.agents.health.answering;
  const { p50 } = latencyMs;
  return texts.agents.answersIn(p50 < 1000 ? `${p50} ms` : `${(p50 / 1000).toFixed(1)} s`);
}
