import type { FloorHistory, Lane, Mark } from "@plenary/transcript";
import { memo, type PointerEvent, useId, useMemo, useState } from "react";
import type { Point } from "./hover-card.tsx";
import {
  basePath,
  laneHeight,
  markNear,
  markX,
  type Range,
  type Scale,
  seqAt,
  spansPath,
  type TickStyle,
  ticksOf,
  xOf,
} from "./layout.ts";
import { clipped, type StripView } from "./navigation.ts";

type DrawingProps = { history: FloorHistory; scale: Scale };

export type StripProps = DrawingProps & {
  view: StripView;
  onView: (view: StripView) => void;
  /** Goes to an entry in the transcript. */
  onJump: (seq: number) => void;
};

type Props = StripProps & {
  /** The item under the pointer, or the current one by keyboard. */
  point: Point | undefined;
  isFocus: boolean;
  onHover: (point: Point | undefined) => void;
};

/** The drawing with pointer actions: hover, click to jump, drag to zoom. */
export function StripCanvas({ history, scale, view, onView, onJump, point, isFocus, onHover }: Props) {
  const { marks, lanes } = history;
  const brush = useBrush(scale);
  const under = (event: PointerEvent<SVGSVGElement>): Point => {
    const { x, row } = pointOf(event);
    const mark = markNear(marks, scale, x, row);
    return { row, seq: mark?.seq ?? seqAt(scale, x), ...(mark && { mark }) };
  };
  function onPointerUp(event: PointerEvent<SVGSVGElement>) {
    const range = brush.end();
    if (range !== undefined) {
      onView({ ...view, range: clipped(range, history) });
      return;
    }
    const { mark } = under(event);
    if (mark === undefined || event.button !== 0) return;
    onView({ ...view, current: mark.seq });
    onJump(mark.seq);
  }
  const height = lanes.length * laneHeight;
  return (
    <svg
      width={scale.width}
      height={height}
      aria-hidden="true"
      className={point?.mark ? "floor-svg floor-pointing" : "floor-svg"}
      onPointerDown={brush.start}
      onPointerMove={(event) => {
        brush.move(event);
        onHover(brush.isDown ? undefined : under(event));
      }}
      onPointerUp={onPointerUp}
      onPointerCancel={brush.cancel}
      onPointerLeave={() => onHover(undefined)}
      onDoubleClick={() => onView({ ...view, range: undefined })}
    >
      <StripDrawing history={history} scale={scale} />
      {point?.mark && <PointedMark history={history} scale={scale} mark={point.mark} isFocused={isFocus} />}
      {brush.span && (
        <rect className="floor-brush" x={brush.span.left} width={brush.span.right - brush.span.left} height={height} />
      )}
    </svg>
  );
}

/** A drag shorter than this is a click. */
const brushPxMin = 6;

/** A drag selects a range of the log; a click selects nothing. */
function useBrush(scale: Scale) {
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const wide = drag && { left: Math.min(drag.from, drag.to), right: Math.max(drag.from, drag.to) };
  const span = wide && wide.right - wide.left >= brushPxMin ? wide : undefined;
  return {
    span,
    isDown: drag !== undefined,
    start(event: PointerEvent<SVGSVGElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { x } = pointOf(event);
      setDrag({ from: x, to: x });
    },
    move(event: PointerEvent<SVGSVGElement>) {
      if (drag !== undefined) setDrag({ ...drag, to: pointOf(event).x });
    },
    end(): Range | undefined {
      setDrag(undefined);
      return span && { from: seqAt(scale, span.left), to: seqAt(scale, span.right) + 1 };
    },
    cancel: () => setDrag(undefined),
  };
}

/** Pointer position in the drawing. */
function pointOf(event: PointerEvent<SVGSVGElement>) {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, row: Math.floor((event.clientY - box.top) / laneHeight) };
}

/** All lanes with their marks; memoized because the history changes rarely. */
const StripDrawing = memo(function StripPicture({ history, scale }: DrawingProps) {
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

type PointProps = DrawingProps & { mark: Mark; isFocused: boolean };

/** Marks the pointed item with a ring and a line to its recipient. */
function PointedMark({ history, scale, mark, isFocused }: PointProps) {
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
