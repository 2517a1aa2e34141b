import type { KnownAgent } from "../api/types.ts";
import { texts } from "../texts/texts.ts";

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
  if (latencyMs === undefined) return texts.agents.answers;
  const { p50 } = latencyMs;
  return texts.agents.answersIn(p50 < 1000 ? `${p50} ms` : `${(p50 / 1000).toFixed(1)} s`);
}
