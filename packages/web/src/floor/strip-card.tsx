import type { FloorHistory, Mark } from "@plenary/transcript";
import { markX, type Scale, spanAt } from "./strip-layout.ts";
import { firstWords, markWords, momentOf, type NameOf, spanWords, timeWords } from "./words.ts";

/** What is pointed at: a mark, or just a place in a lane. */
export type Point = { row: number; seq: number; mark?: Mark };

/** How people and moments are told. */
export type Telling = { nameOf: NameOf; timeOf: (seq: number) => string };

type Props = { history: FloorHistory; scale: Scale; point: Point; lanes: HTMLElement; telling: Telling };

const widthPx = 288;

/** Who, when and the first words, beside the strip and never over it. */
export function StripCard({ history, scale, point, lanes, telling }: Props) {
  const lane = history.lanes[point.row];
  const told = toldOf(history, point, telling);
  if (lane === undefined || told === undefined) return null;
  const { left: start } = lanes.getBoundingClientRect();
  const box = (lanes.closest(".floor-strip-body") ?? lanes).getBoundingClientRect();
  const left = start + markX(scale, point.seq) - widthPx / 2;
  const isAbove = box.bottom > window.innerHeight / 2;
  const place = isAbove ? { bottom: window.innerHeight - box.top + 6 } : { top: box.bottom + 6 };
  return (
    <div
      className="floor-card"
      data-hue={lane.face.hue}
      aria-hidden="true"
      style={{ ...place, left: Math.max(8, Math.min(left, window.innerWidth - widthPx - 8)) }}
    >
      <p className="floor-card-head">
        <b>
          <bdi>{lane.face.name}</bdi>
        </b>
        <time>{told.when}</time>
      </p>
      <p className={point.mark?.isWhisper ? "floor-card-kind floor-whispered" : "floor-card-kind"}>{told.what}</p>
      {told.words !== "" && <p className="floor-card-words">{told.words}</p>}
    </div>
  );
}

type Told = { when: string; what: string; words: string };

function toldOf({ lanes, lastSeq }: FloorHistory, { row, seq, mark }: Point, telling: Telling): Told | undefined {
  const { nameOf, timeOf } = telling;
  if (mark !== undefined) {
    return { when: timeWords(momentOf(mark.entry)), what: markWords(mark, nameOf), words: firstWords(mark.entry) };
  }
  const lane = lanes[row];
  const span = lane && spanAt(lane, seq);
  if (lane === undefined || span === undefined) return undefined;
  const [from, to] = [timeOf(span.from), timeOf(span.to)];
  const isNow = span.to > lastSeq;
  const when = isNow ? `since ${from}` : from === to ? from : `${from} – ${to}`;
  return { when, what: spanWords(span.kind, isNow), words: "" };
}

/** The same for who listens. */
export function spokenMark({ lanes }: FloorHistory, mark: Mark, nameOf: NameOf): string {
  const parts = [lanes[mark.row]?.face.name, timeWords(momentOf(mark.entry)), markWords(mark, nameOf)];
  const words = firstWords(mark.entry);
  return `${parts.filter(Boolean).join(", ")}${words === "" ? "" : `: ${words}`}`;
}
