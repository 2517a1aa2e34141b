import type { Tally } from "@plenary/transcript";
import { texts } from "../texts/texts.ts";

/** The floor strip as numbers. */
export function TallyTable({ tallies }: { tallies: readonly Tally[] }) {
  return (
    <section
      className="floor-table-frame"
      aria-label={texts.strip.tableLabel}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      tabIndex={0}
    >
      <table className="floor-table">
        <caption className="unseen">{texts.strip.caption}</caption>
        <thead>
          <tr>
            {texts.strip.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tallies.map(({ lane, heldTimes, heldShare, askedTimes, withFloor, withoutFloor, unknown, whispers }) => (
            <tr key={lane.speakerUri} data-hue={lane.face.hue}>
              <th scope="row">
                <bdi>{lane.face.name}</bdi>
              </th>
              <td>
                <span className="floor-share" aria-hidden="true">
                  <span style={{ width: `${heldShare * 100}%` }} />
                </span>
                {Math.round(heldShare * 100)} %, {texts.strip.heldTimes(heldTimes)}
              </td>
              <td>{askedTimes}</td>
              <td>
                {withFloor}
                {unknown > 0 && <span className="quiet">{texts.strip.notKnown(unknown)}</span>}
              </td>
              <td>{withoutFloor}</td>
              <td>{whispers}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
