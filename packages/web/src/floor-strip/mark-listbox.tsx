import type { FloorHistory, Mark } from "@plenary/transcript";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { texts } from "../texts/texts.ts";
import { StripCanvas, type StripProps } from "./canvas.tsx";
import { HoverCard, markLabel, type Point, type StripLabels } from "./hover-card.tsx";
import { laneHeight, markIndexAt } from "./layout.ts";
import { type StripView, viewAfterKey } from "./navigation.ts";

type Props = StripProps & { labels: StripLabels; label: string };

/** The strip as one listbox: arrow keys move between marks, each mark is an option. */
export function MarkListbox({ labels, label, ...strip }: Props) {
  const { history, scale, view, onView, onJump } = strip;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isFocused, setFocused] = useState(false);
  const [hovered, setHovered] = useState<Point>();
  const current = currentMark(history, view);
  const point = hovered ?? (isFocused && current ? { ...current, mark: current } : undefined);
  useLayoutEffect(() => {
    if (current !== undefined && isFocused) revealRow(list.current, current.row);
  }, [current, isFocused]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = viewAfterKey(event.key, view, history);
    if (event.key === "Enter" && current !== undefined) onJump(current.seq);
    else if (next !== undefined) onView(next);
    else return;
    setFocused(true);
    setHovered(undefined);
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <>
      <div
        ref={list}
        className="floor-lanes"
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-describedby={`${id}-keys`}
        aria-activedescendant={current && `${id}-${current.seq}`}
        onKeyDown={onKeyDown}
        onFocus={(event) => setFocused(event.currentTarget.matches(":focus-visible"))}
        onBlur={() => setFocused(false)}
      >
        <StripCanvas {...strip} point={point} isFocus={hovered === undefined} onHover={setHovered} />
        {current && (
          <span className="unseen" role="option" tabIndex={-1} id={`${id}-${current.seq}`} aria-selected="true">
            {markLabel(history, current, labels.nameOf)}
          </span>
        )}
      </div>
      <span className="unseen" id={`${id}-keys`}>
        {texts.strip.keys}
      </span>
      {point && list.current && (
        <HoverCard history={history} scale={scale} point={point} labels={labels} lanes={list.current} />
      )}
    </>
  );
}

function currentMark({ marks }: FloorHistory, { current }: StripView): Mark | undefined {
  if (current === undefined) return undefined;
  const mark = marks[markIndexAt(marks, current)];
  return mark?.seq === current ? mark : undefined;
}

function revealRow(list: HTMLElement | null, row: number): void {
  const frame = list?.closest(".floor-strip-body");
  if (!frame) return;
  const [top, bottom] = [row * laneHeight, (row + 1) * laneHeight];
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
}

/** Observed width of an element. */
export function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
