import type { Tally } from "@plenary/transcript";

/** The floor strip as numbers. */
export function TallyTable({ tallies }: { tallies: readonly Tally[] }) {
  return (
    <section
      className="floor-table-frame"
      aria-label="Floor strip as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      tabIndex={0}
    >
      <table className="floor-table">
        <caption className="unseen">Who held the floor, asked for it and spoke</caption>
        <thead>
          <tr>
            <th scope="col">Conversant</th>
            <th scope="col">Held the floor</th>
            <th scope="col">Asked</th>
            <th scope="col">Spoke with it</th>
            <th scope="col">Without it</th>
            <th scope="col">Whispers</th>
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
                {Math.round(heldShare * 100)} %, {heldTimes === 1 ? "once" : `${heldTimes} times`}
              </td>
              <td>{askedTimes}</td>
              <td>
                {withFloor}
                {unknown > 0 && <span className="quiet">, {unknown} not known</span>}
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
