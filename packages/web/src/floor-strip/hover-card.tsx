import type { FloorHistory, Mark } from "@plenary/transcript";
import { texts } from "../texts/texts.ts";
import { shortTime } from "../texts/times.ts";
import { markX, type Scale, spanAt } from "./layout.ts";
import { firstWords, markText, type NameOf, spanText, timestampOf } from "./mark-text.ts";

/** The pointed item: a mark, or a position in a lane. */
export type Point = { row: number; seq: number; mark?: Mark };

/** Functions that name speakers and times. */
export type StripLabels = { nameOf: NameOf; timeOf: (seq: number) => string };

type Props = { history: FloorHistory; scale: Scale; point: Point; lanes: HTMLElement; labels: StripLabels };

const widthPx = 288;

/** Card with speaker, time and first words, placed beside the strip. */
export function HoverCard({ history, scale, point, lanes, labels }: Props) {
  const lane = history.lanes[point.row];
  const content = cardContent(history, point, labels);
  if (lane === undefined || content === undefined) return null;
  const { left: start } = lanes.getBoundingClientRect();
  const box = (lanes.closest(".floor-strip-body") ?? lanes).getBoundingClientRect();
  const left = start + markX(scale, point.seq) - widthPx / 2;
  const isAbove = box.bottom > window.innerHeight / 2;
  const position = isAbove ? { bottom: window.innerHeight - box.top + 6 } : { top: box.bottom + 6 };
  return (
    <div
      className="floor-card"
      data-hue={lane.face.hue}
      aria-hidden="true"
      style={{ ...position, left: Math.max(8, Math.min(left, window.innerWidth - widthPx - 8)) }}
    >
      <p className="floor-card-head">
        <b>
          <bdi>{lane.face.name}</bdi>
        </b>
        <time>{content.when}</time>
      </p>
      <p className={point.mark?.isWhisper ? "floor-card-kind floor-whispered" : "floor-card-kind"}>{content.what}</p>
      {content.words !== "" && <p className="floor-card-words">{content.words}</p>}
    </div>
  );
}

type CardContent = { when: string; what: string; words: string };

function cardContent(
  { lanes, lastSeq }: FloorHistory,
  { row, seq, mark }: Point,
  labels: StripLabels,
): CardContent | undefined {
  const { nameOf, timeOf } = labels;
  if (mark !== undefined) {
    return { when: shortTime(timestampOf(mark.entry)), what: markText(mark, nameOf), words: firstWords(mark.entry) };
  }
  const lane = lanes[row];
  const span = lane && spanAt(lane, seq);
  if (lane === undefined || span === undefined) return undefined;
  const [from, to] = [timeOf(span.from), timeOf(span.to)];
  const isNow = span.to > lastSeq;
  const when = isNow ? texts.strip.since(from) : from === to ? from : `${from} – ${to}`;
  return { when, what: spanText(span.kind, isNow), words: "" };
}

/** The same as one text for screen readers. */
export function markLabel({ lanes }: FloorHistory, mark: Mark, nameOf: NameOf): string {
  const parts = [lanes[mark.row]?.face.name, shortTime(timestampOf(mark.entry)), markText(mark, nameOf)];
  const words = firstWords(mark.entry);
  return `${parts.filter(Boolean).join(", ")}${words === "" ? "" : `: ${words}`}`;
}
