import { type DraftStep, runningStep } from "@plenary/protocol";
import { texts } from "../texts/texts.ts";

/** The current step on one line, all steps in a disclosure. Steps are not announced. */
export default function DraftSteps({ steps }: { steps: readonly DraftStep[] }) {
  const now = runningStep(steps) ?? steps.at(-1);
  return (
    <details className="steps">
      <summary>{now && titleOf(now)}</summary>
      <Branch parts={partsOf(steps)} of={undefined} />
    </details>
  );
}

/** Child steps by the id of their parent. */
type Parts = ReadonlyMap<string | undefined, readonly DraftStep[]>;

/** A parent always precedes its children, so there are no cycles. */
function partsOf(steps: readonly DraftStep[]): Parts {
  const parts = new Map<string | undefined, DraftStep[]>([[undefined, []]]);
  for (const step of steps) {
    const siblings = parts.get(step.parent) ?? parts.get(undefined);
    siblings?.push(step);
    parts.set(step.id, []);
  }
  return parts;
}

function Branch({ parts, of }: { parts: Parts; of: string | undefined }) {
  const steps = parts.get(of) ?? [];
  if (steps.length === 0) return null;
  return (
    <ul>
      {steps.map((step) => (
        <li key={step.id}>
          <StepLine step={step} />
          <Branch parts={parts} of={step.id} />
        </li>
      ))}
    </ul>
  );
}

const marks = { running: "…", done: "✓", failed: "✗" } as const;

function StepLine({ step }: { step: DraftStep }) {
  const { state, detail } = step;
  const line = (
    <>
      <span role="img" aria-label={texts.transcript.steps[state]}>
        {marks[state]}
      </span>{" "}
      <bdi>{titleOf(step)}</bdi>
    </>
  );
  if (detail === undefined) return line;
  return (
    <details>
      <summary>{line}</summary>
      <pre dir="auto">{detail}</pre>
    </details>
  );
}

/** A finished step loses its trailing dots. */
function titleOf({ title, state }: DraftStep): string {
  return state === "running" ? title : title.replace(/\s*(?:\.{3}|…)$/u, "");
}
