import type { KnownAgent } from "../wire/types.ts";
import { healthWords } from "./known.ts";

/** How an agent is, and what it speaks where that is old; what it does against the rules unfolds. */
export function AgentHealth({ agent }: { agent: KnownAgent }) {
  const { health, dialect = "1.1", quirks } = agent;
  return (
    <>
      <p className={health === "answering" ? "floor-health" : "floor-health floor-silent"}>
        {healthWords(agent)}
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
