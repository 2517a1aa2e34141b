import type { FloorHistory } from "@plenary/transcript";
import { laneHeight, scaleOf, spansPath } from "./strip-layout.ts";

type Props = { history: FloorHistory; summary: string; onUnfold: () => void };

const widthPx = 1000;

/** What is left of the strip when it is folded: who held the floor, in 10 pixels. */
export function FoldedStrip({ history, summary, onUnfold }: Props) {
  const { lanes, firstSeq, lastSeq } = history;
  const scale = scaleOf({ from: firstSeq, to: lastSeq + 1 }, widthPx);
  return (
    <button type="button" className="floor-folded" title="Show the floor strip" onClick={onUnfold}>
      <span className="unseen">Show the floor strip. {summary}</span>
      <svg viewBox={`0 0 ${widthPx} ${lanes.length * laneHeight}`} preserveAspectRatio="none" aria-hidden="true">
        {lanes.map((lane, row) => (
          <path
            key={lane.speakerUri}
            data-hue={lane.face.hue}
            className="floor-folded-held"
            transform={`translate(0 ${row * laneHeight})`}
            d={spansPath(lane, "held", scale, laneHeight - 4)}
          />
        ))}
      </svg>
    </button>
  );
}
