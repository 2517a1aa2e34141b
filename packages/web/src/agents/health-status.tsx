import type { KnownAgent } from "../api/types.ts";

/** Health of an agent, its dialect if it is an old one, and the rules that its documents break. */
export function HealthStatus({ agent }: { agent: KnownAgent }) {
  const { health, dialect = "1.1", quirks } = agent;
  return (
    <>
      <p className={health === "answering" ? "floor-health" : "floor-health floor-silent"}>
        {healthText(agent)}
        {dialect !== "1.1" && <span className="floor-chip">speaks {dialect}</span>}
      </p>
      {quirks.length > 0 && (
        <details className="floor-quirks">
          <summary>Breaks {quirks.length === 1 ? "a rule" : `${quirks.length} rules`}</summary>
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
  if (health !== "answering")
    return `${health === "silent" ? "does not answer" : "answers wrongly"}${trouble ? `: ${trouble.detail}` : ""}`;
  if (latencyMs === undefined) return "answers";
  const { p50 } = latencyMs;
  return `answers in ${p50 < 1000 ? `${p50} ms` : `${(p50 / 1000).toFixed(1)} s`}`;
}
