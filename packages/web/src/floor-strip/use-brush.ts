import { type PointerEvent, useState } from "react";
import { laneHeight, type Range, type Scale, seqAt } from "./layout.ts";

/** A drag shorter than this is a click. */
const brushPxMin = 6;

/** A drag selects a range of the log; a click selects nothing. */
export function useBrush(scale: Scale) {
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
export function pointOf(event: PointerEvent<SVGSVGElement>) {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, row: Math.floor((event.clientY - box.top) / laneHeight) };
}
