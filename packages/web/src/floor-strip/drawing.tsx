import type { FloorHistory, Lane, Mark } from "@plenary/transcript";
import { memo, useId, useMemo } from "react";
import { basePath, laneHeight, markX, type Scale, spansPath, type TickStyle, ticksOf, xOf } from "./layout.ts";

type Props = { history: FloorHistory; scale: Scale };

/** All lanes with their marks; memoized because the history changes rarely. */
export const StripDrawing = memo(function StripPicture({ history, scale }: Props) {
  const { lanes, marks } = history;
  const ticks = useMemo(() => ticksOf(marks, lanes.length, scale), [marks, lanes, scale]);
  return (
    <g className={ticks.isDense ? "floor-dense" : undefined}>
      <path className="floor-pause" d={pausePath(history, scale, "band")} />
      {lanes.map((lane, row) => (
        <LanePicture key={lane.speakerUri} lane={lane} row={row} scale={scale} ticks={ticks.paths[row] ?? {}} />
      ))}
      <path className="floor-pause-edge" d={pausePath(history, scale, "edges")} />
    </g>
  );
});

type LaneProps = { lane: Lane; row: number; scale: Scale; ticks: Readonly<Partial<Record<TickStyle, string>>> };

function LanePicture({ lane, row, scale, ticks }: LaneProps) {
  const hatch = useId();
  return (
    <g data-hue={lane.face.hue} transform={`translate(0 ${row * laneHeight})`}>
      {/* It lies within its lane, so the hatching has the lane's colour. */}
      <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path className="floor-hatch" d="M0 0v5" />
      </pattern>
      <path className="floor-base" d={basePath(lane, scale)} />
      <path className="floor-unknown" d={spansPath(lane, "unknown", scale, 6)} />
      <path className="floor-held" d={spansPath(lane, "held", scale, 16)} />
      <path className="floor-invited" d={spansPath(lane, "invited", scale, 14)} />
      <path className="floor-asked" d={spansPath(lane, "asked", scale, 14)} style={{ fill: `url(#${hatch})` }} />
      {Object.entries(ticks).map(([style, path]) => (
        <path key={style} className={`floor-tick floor-tick-${style}`} d={path} />
      ))}
    </g>
  );
}

/** Pauses: a band behind the lanes, its edges in front of them. */
function pausePath({ lanes, pauses }: FloorHistory, scale: Scale, part: "band" | "edges"): string {
  const { from, to } = scale.range;
  const height = lanes.length * laneHeight;
  const shown = pauses.filter((pause) => pause.to > from && pause.from < to);
  return shown
    .map((pause) => {
      const left = xOf(scale, Math.max(from, pause.from));
      const right = Math.max(left + 2, pause.to >= to ? scale.width : xOf(scale, pause.to));
      return part === "band" ? `M${left} 0H${right}V${height}H${left}z` : `M${left} 0V${height}M${right} 0V${height}`;
    })
    .join("");
}

type PointProps = { history: FloorHistory; scale: Scale; mark: Mark; isFocused: boolean };

/** Marks the pointed item with a ring and a line to its recipient. */
export function PointedMark({ history, scale, mark, isFocused }: PointProps) {
  const x = markX(scale, mark.seq);
  const y = (mark.row + 0.5) * laneHeight;
  const target = mark.to === undefined ? -1 : history.lanes.findIndex(({ speakerUri }) => speakerUri === mark.to);
  const end = (target + 0.5) * laneHeight;
  const bend = x > 60 ? -18 : 18;
  return (
    <g data-hue={history.lanes[mark.row]?.face.hue}>
      {target !== -1 && target !== mark.row && (
        <g className={mark.isWhisper ? "floor-towards floor-towards-whisper" : "floor-towards"}>
          <path d={`M${x} ${y}C${x + bend} ${y} ${x + bend} ${end} ${x} ${end}`} />
          <circle cx={x} cy={end} r="3" />
        </g>
      )}
      <rect
        className={isFocused ? "floor-ring floor-ring-focus" : "floor-ring"}
        x={x - 7}
        y={y - laneHeight / 2 + 2}
        width="14"
        height={laneHeight - 4}
        rx="5"
      />
    </g>
  );
}
