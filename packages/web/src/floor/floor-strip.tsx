import { counted, type FloorHistory, floorHistory, listWords, nameIn, summaryOf, talliesOf } from "@plenary/transcript";
import { lazy, Suspense, useMemo, useState } from "react";
import { Avatar } from "../shell/avatar.tsx";
import { Icon } from "../shell/icon.tsx";
import { useScene } from "../state/context.ts";
import type { ConversationView } from "../wire/types.ts";
import type { Telling } from "./strip-card.tsx";
import { FoldedStrip } from "./strip-folded.tsx";
import { StripLanes, useWidth } from "./strip-lanes.tsx";
import { scaleOf } from "./strip-layout.ts";
import type { Place } from "./strip-moves.ts";
import { momentOf, type NameOf, timeWords } from "./words.ts";

/** Comes when somebody asks for it. */
const StripTable = lazy(async () => ({ default: (await import("./strip-table.tsx")).StripTable }));

type Props = {
  /** Goes to an entry in the transcript. */
  onJump: (seq: number) => void;
  /** A thin bar is left of it. */
  isFolded?: boolean;
  onFold?: (isFolded: boolean) => void;
};

/** Who held the floor when, who waited, who spoke without it: the whole conversation at a glance. */
export function FloorStrip({ onJump, isFolded = false, onFold }: Props) {
  const { conversation } = useScene();
  const { entries, identifications, view, me } = conversation;
  const history = useMemo(
    () => withNames(floorHistory(entries, identifications, view), (uri) => nameIn({ identifications, me }, uri)),
    [entries, identifications, view, me],
  );
  const tallies = useMemo(() => talliesOf(history), [history]);
  const summary = summaryOf(history, tallies);
  const [isTable, setTable] = useState(false);
  const [place, setPlace] = useState<Place>({ current: undefined, range: undefined });
  const nameOf: NameOf = (speakerUri) => nameIn(conversation, speakerUri);
  if (isFolded) return <FoldedStrip history={history} summary={summary} onUnfold={() => onFold?.(false)} />;
  const range = place.range ?? { from: history.firstSeq, to: history.lastSeq + 1 };
  const timeOf = (seq: number) => timeWords(timeAround(entries, seq));
  const seen = [timeOf(range.from), timeOf(range.to - 1)];
  return (
    <section className="floor-strip" aria-label="Who has the floor">
      <p className="unseen">{summary}</p>
      <div className="floor-strip-head">
        <span className="floor-strip-now">
          <Icon name="floor" size={16} />
          <span>{nowWords(view, nameOf)}</span>
        </span>
        <span className="floor-strip-time">{seen[0] === seen[1] ? seen[0] : seen.join(" – ")}</span>
        {place.range !== undefined && (
          <button type="button" className="button small" onClick={() => setPlace({ ...place, range: undefined })}>
            Show all
          </button>
        )}
        <button type="button" className="button plain small" onClick={() => setTable(!isTable)}>
          <span>
            <span className="floor-wide">Show as </span>
            {isTable ? "picture" : "table"}
          </span>
        </button>
        {onFold && (
          <button type="button" className="button plain small icon floor-fold" onClick={() => onFold(true)}>
            <Icon name="back" size={14} />
            <span className="unseen">Fold the floor strip</span>
          </button>
        )}
      </div>
      {isTable ? (
        <Suspense>
          <StripTable tallies={tallies} />
        </Suspense>
      ) : (
        <StripBody {...{ history, place, range, view, onJump }} telling={{ nameOf, timeOf }} onPlace={setPlace} />
      )}
    </section>
  );
}

/** By the names they are shown by here. */
function withNames(history: FloorHistory, nameOf: NameOf): FloorHistory {
  const lanes = history.lanes.map((lane) => ({ ...lane, face: { ...lane.face, name: nameOf(lane.speakerUri) } }));
  return { ...history, lanes };
}

type BodyProps = {
  history: ReturnType<typeof floorHistory>;
  view: ConversationView;
  place: Place;
  range: { from: number; to: number };
  onPlace: (place: Place) => void;
  onJump: (seq: number) => void;
  telling: Telling;
};

function StripBody({ history, view, range, ...rest }: BodyProps) {
  const { identifications } = useScene().conversation;
  const { element, width } = useWidth();
  const { from, to } = range;
  const isWhole = rest.place.range === undefined;
  const scale = useMemo(() => scaleOf({ from, to }, width, isWhole), [from, to, width, isWhole]);
  const label = `Floor strip, ${counted(history.lanes.length, "conversant")}, ${counted(history.marks.length, "mark")}`;
  return (
    <div className="floor-strip-body">
      <ul className="bare floor-names" aria-hidden="true">
        {history.lanes.map(({ speakerUri, face, kind }) => {
          const hasFloor = view.floorGranted.includes(speakerUri);
          return (
            <li key={speakerUri} title={face.name} className={hasFloor ? "floor-name floor-name-held" : "floor-name"}>
              <Avatar
                {...{ speakerUri, hasFloor, isSmall: true }}
                identification={identifications.get(speakerUri)}
                {...(kind && { kind })}
              />
              <bdi>{face.name}</bdi>
            </li>
          );
        })}
      </ul>
      <div ref={element} className="floor-lanes-frame">
        {width > 0 && <StripLanes {...{ history, scale, label, ...rest }} />}
      </div>
    </div>
  );
}

/** When that entry was written; of those that are not shown, the nearest before tells. */
function timeAround(entries: readonly Parameters<typeof momentOf>[0][], seq: number): string | undefined {
  const first = entries[0]?.seq ?? 1;
  for (let index = Math.min(seq - first, entries.length - 1); index >= 0; index -= 1) {
    const entry = entries[index];
    const at = entry && momentOf(entry);
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Who has the floor now, and who waits. */
function nowWords({ conversants, floorGranted, floorRequested }: ConversationView, nameOf: NameOf): string {
  const joined = conversants.filter(({ state }) => state === "joined").map((one) => one.identification.speakerUri);
  const holding = joined.filter((speakerUri) => floorGranted.includes(speakerUri));
  const isEveryone = holding.length === joined.length && holding.length > 2;
  const who = isEveryone ? "Everyone" : listWords(holding.map(nameOf)) || "Nobody";
  const has = holding.length > 1 && !isEveryone ? "have" : "has";
  const waits = floorRequested.length === 1 ? "waits" : "wait";
  const queue = floorRequested.length === 0 ? "" : ` · ${listWords(floorRequested.map(nameOf))} ${waits}`;
  return `${who} ${has} the floor${queue}`;
}
