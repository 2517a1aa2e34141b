import type { FloorHistory, Lane } from "../../floor-history/floor-history.ts";
import type { SpanKind } from "../../floor-history/lane.ts";
import { summaryOf, talliesOf } from "../../floor-history/lane-statistics.ts";
import type { Mark } from "../../floor-history/read-entries.ts";
import type { ExportDocument } from "../document.ts";
import { escaped, titled } from "./escape.ts";

const width = 1_000;
const laneHeight = 28;
/** Ticks closer than this are one. */
const tickWidth = 3;

/** The floor strip: a picture with links into the transcript, a summary sentence and a table. */
export function stripOf({ history, personFor }: ExportDocument): string {
  const { lanes, marks } = history;
  if (lanes.length === 0) return "";
  const names = lanes.map(({ speakerUri, face }) => {
    return `<li data-hue="${face.hue}" title="${escaped(personFor(speakerUri).name)}">${escaped(personFor(speakerUri).name)}</li>`;
  });
  const height = lanes.length * laneHeight;
  const rows = lanes.map((lane, row) => laneIn(history, lane, row));
  const ticks = ticksOf(history, marks);
  const tallies = talliesOf(history);
  // The picture is hidden from assistive technology and the tab order: the sentence and the table say the same.
  return `<section aria-labelledby="strip"><h2 id="strip">Who had the floor</h2>
<div class="strip" role="region" aria-label="Floor strip" tabindex="0"><ul aria-hidden="true">${names.join("")}</ul>
<svg aria-hidden="true" focusable="false" viewBox="0 0 ${width} ${height}" height="${height}" preserveAspectRatio="none">
${pausesIn(history, height)}${rows.map((row, index) => `${row}${ticks[index]?.join("") ?? ""}</g>`).join("\n")}
</svg></div>
${key}
<p class="quiet">${escaped(summaryOf(history, tallies))}</p>
<details><summary>The floor strip as a table</summary>
<div class="frame" role="region" aria-label="Floor strip as a table" tabindex="0"><table>
<thead><tr><th scope="col">Conversant</th><th scope="col">Held the floor</th><th scope="col">Asked for it</th><th scope="col">Spoke with it</th><th scope="col">Without it</th><th scope="col">Not known</th><th scope="col">Whispers</th></tr></thead>
<tbody>${tallies.map((tally) => rowOf(tally, personFor(tally.lane.speakerUri).name)).join("\n")}</tbody></table></div></details></section>`;
}

const key = `<ul class="key quiet"><li>${sign(`<rect class="held" x="1" y="1" width="26" height="12"/>`)}has the floor</li>
<li>${sign(`<path class="hatch" d="M4 13L12 1M12 13L20 1M20 13L28 1"/>`)}asks for it</li>
<li>${sign(`<rect class="tick" x="12" y="1" width="3" height="12"/>`)}speaks</li>
<li>${sign(`<rect class="tick private" x="11" y="1" width="5" height="12"/>`)}whispers</li></ul>`;

function sign(picture: string): string {
  return `<svg aria-hidden="true" focusable="false" viewBox="0 0 28 14">${picture}</svg>`;
}

/** Without its closing tag: the ticks are added in the same colour group. */
function laneIn(history: FloorHistory, { spans, face }: Lane, row: number): string {
  const y = row * laneHeight;
  const middle = y + laneHeight / 2;
  const pattern = `<pattern id="hatch-${row}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v6"/></pattern>`;
  const boxes = spans.flatMap(({ kind, from, to }) => {
    if (kind === "absent") return [];
    const left = xOf(history, from);
    const wide = Math.max(1, xOf(history, to) - left);
    const { inset } = looks[kind];
    const fill = kind === "asked" ? ` fill="url(#hatch-${row})"` : "";
    const box = `x="${rounded(left)}" y="${y + inset}" width="${rounded(wide)}" height="${laneHeight - inset * 2}"`;
    return [`<rect class="${kind}"${fill} ${box}/>`];
  });
  return `<g data-hue="${face.hue}">${pattern}<path class="base" d="M0 ${middle}H${width}"/>${boxes.join("")}`;
}

const looks: Readonly<Record<Exclude<SpanKind, "absent">, { inset: number }>> = {
  held: { inset: 5 },
  asked: { inset: 7 },
  invited: { inset: 7 },
  unknown: { inset: 11 },
};

/** The ticks of each lane, one for each utterance; of overlapping ticks only the first. */
function ticksOf(history: FloorHistory, marks: readonly Mark[]): string[][] {
  const ticks: string[][] = history.lanes.map(() => []);
  const ends = history.lanes.map(() => Number.NEGATIVE_INFINITY);
  for (const { kind, seq, row, isWhisper, entry } of marks) {
    const x = xOf(history, seq + 0.5) - tickWidth / 2;
    if (kind !== "utterance" || x < (ends[row] ?? 0)) continue;
    ends[row] = x + tickWidth * (isWhisper ? 2 : 1);
    const style = isWhisper ? "tick private" : "tick";
    // A hollow tick needs some room inside.
    const wide = isWhisper ? tickWidth * 2 : tickWidth;
    const box = `x="${rounded(x)}" y="${row * laneHeight + 3}" width="${wide}" height="${laneHeight - 6}"`;
    const at = entry.kind === "hidden" ? entry.whisper?.at : entry.at;
    ticks[row]?.push(
      `<a href="#e${seq}" tabindex="-1"><rect class="${style}" ${box}><title>${titled(at)}</title></rect></a>`,
    );
  }
  return ticks;
}

function pausesIn(history: FloorHistory, height: number): string {
  const boxes = history.pauses.map(({ from, to }) => {
    const left = xOf(history, from);
    return `<rect class="paused" x="${rounded(left)}" y="0" width="${rounded(Math.max(2, xOf(history, to) - left))}" height="${height}"/>`;
  });
  return boxes.join("");
}

function rowOf(tally: ReturnType<typeof talliesOf>[number], name: string): string {
  const { lane, heldTimes, heldShare, askedTimes, withFloor, withoutFloor, unknown, whispers } = tally;
  const held = `${Math.round(heldShare * 100)} %, ${heldTimes === 1 ? "once" : `${heldTimes} times`}`;
  const cells = [held, askedTimes, withFloor, withoutFloor, unknown, whispers].map((cell) => `<td>${cell}</td>`);
  return `<tr data-hue="${lane.face.hue}"><th scope="row"><bdi>${escaped(name)}</bdi></th>${cells.join("")}</tr>`;
}

function xOf({ firstSeq, lastSeq }: FloorHistory, seq: number): number {
  return ((seq - firstSeq) / Math.max(1, lastSeq + 1 - firstSeq)) * width;
}

function rounded(x: number): number {
  return Math.round(x * 10) / 10;
}
