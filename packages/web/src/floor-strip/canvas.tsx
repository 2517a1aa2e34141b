import type { FloorHistory } from "@plenary/transcript";
import type { PointerEvent } from "react";
import { PointedMark, StripDrawing } from "./drawing.tsx";
import type { Point } from "./hover-card.tsx";
import { laneHeight, markNear, type Scale, seqAt } from "./layout.ts";
import { clipped, type StripView } from "./navigation.ts";
import { pointOf, useBrush } from "./use-brush.ts";

type Props = {
  history: FloorHistory;
  scale: Scale;
  view: StripView;
  onView: (view: StripView) => void;
  onJump: (seq: number) => void;
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
