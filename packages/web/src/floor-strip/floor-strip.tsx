import type { ConversationView } from "@plenary/client";
import { type FloorHistory, floorHistory, nameIn, summaryOf, talliesOf } from "@plenary/transcript";
import { lazy, Suspense, useMemo, useState } from "react";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { shortTime } from "../texts/times.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { StripProps } from "./canvas.tsx";
import type { StripLabels } from "./hover-card.tsx";
import { type Range, scaleOf } from "./layout.ts";
import { MarkListbox, useWidth } from "./mark-listbox.tsx";
import { type NameOf, timestampOf } from "./mark-text.ts";
import type { StripView } from "./navigation.ts";

/** Loaded on demand. */
const StripTable = lazy(async () => ({ default: (await import("./tally-table.tsx")).TallyTable }));

/** Timeline of the floor: who held it, who waited, who spoke without it. `onJump` goes to an entry in the transcript. */
export function FloorStrip({ onJump }: Pick<StripProps, "onJump">) {
  const { conversation } = useOpenConversation();
  const { entries, identifications, view, me } = conversation;
  const history = useMemo(
    () => withNames(floorHistory(entries, identifications, view), (uri) => nameIn({ identifications, me }, uri)),
    [entries, identifications, view, me],
  );
  const tallies = useMemo(() => talliesOf(history), [history]);
  const summary = summaryOf(history, tallies);
  const [isTable, setTable] = useState(false);
  const [stripView, setStripView] = useState<StripView>({ current: undefined, range: undefined });
  const nameOf: NameOf = (speakerUri) => nameIn(conversation, speakerUri);
  const range = stripView.range ?? { from: history.firstSeq, to: history.lastSeq + 1 };
  const timeOf = (seq: number) => shortTime(timeAround(entries, seq));
  const seen = [timeOf(range.from), timeOf(range.to - 1)];
  return (
    <section className="floor-strip" aria-label={texts.strip.label}>
      <p className="unseen">{summary}</p>
      <div className="floor-strip-head">
        <span className="floor-strip-now">
          <Icon name="floor" size={16} />
          <span>{floorStatus(view, nameOf)}</span>
        </span>
        <span className="floor-strip-time">{seen[0] === seen[1] ? seen[0] : seen.join(" – ")}</span>
        {stripView.range !== undefined && (
          <Button
            look="small"
            text={texts.strip.showAll}
            onClick={() => setStripView({ ...stripView, range: undefined })}
          />
        )}
        <button type="button" className="button plain small" onClick={() => setTable(!isTable)}>
          <span>
            <span className="floor-wide">{texts.strip.showAs}</span>
            {isTable ? texts.strip.picture : texts.strip.table}
          </span>
        </button>
      </div>
      {isTable ? (
        <Suspense>
          <StripTable tallies={tallies} />
        </Suspense>
      ) : (
        <StripPanel
          history={history}
          view={stripView}
          range={range}
          onJump={onJump}
          labels={{ nameOf, timeOf }}
          onView={setStripView}
        />
      )}
    </section>
  );
}

/** Uses the display names of this conversation. */
function withNames(history: FloorHistory, nameOf: NameOf): FloorHistory {
  const lanes = history.lanes.map((lane) => ({ ...lane, face: { ...lane.face, name: nameOf(lane.speakerUri) } }));
  return { ...history, lanes };
}

type PanelProps = Omit<StripProps, "scale"> & { range: Range; labels: StripLabels };

function StripPanel({ range, ...strip }: PanelProps) {
  const { identifications, view } = useOpenConversation().conversation;
  const { history } = strip;
  const { element, width } = useWidth();
  const { from, to } = range;
  const isWhole = strip.view.range === undefined;
  const scale = useMemo(() => scaleOf({ from, to }, width, isWhole), [from, to, width, isWhole]);
  const label = texts.strip.lanes(history.lanes.length, history.marks.length);
  return (
    <div className="floor-strip-body">
      <ul className="bare floor-names" aria-hidden="true">
        {history.lanes.map(({ speakerUri, face, kind }) => {
          const hasFloor = view.floorGranted.includes(speakerUri);
          return (
            <li key={speakerUri} title={face.name} className={hasFloor ? "floor-name floor-name-held" : "floor-name"}>
              <Avatar
                speakerUri={speakerUri}
                hasFloor={hasFloor}
                isSmall={true}
                identification={identifications.get(speakerUri)}
                {...(kind && { kind })}
              />
              <bdi>{face.name}</bdi>
            </li>
          );
        })}
      </ul>
      <div ref={element} className="floor-lanes-frame">
        {width > 0 && <MarkListbox {...strip} scale={scale} label={label} />}
      </div>
    </div>
  );
}

/** Time of an entry, or of the nearest entry before it that has one. */
function timeAround(entries: readonly Parameters<typeof timestampOf>[0][], seq: number): string | undefined {
  const first = entries[0]?.seq ?? 1;
  for (let index = Math.min(seq - first, entries.length - 1); index >= 0; index -= 1) {
    const entry = entries[index];
    const at = entry && timestampOf(entry);
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Text for the current holders and requests. */
function floorStatus({ conversants, floorGranted, floorRequested }: ConversationView, nameOf: NameOf): string {
  const joined = conversants.filter(({ state }) => state === "joined").map((one) => one.identification.speakerUri);
  const holding = joined.filter((speakerUri) => floorGranted.includes(speakerUri));
  const isEveryone = holding.length === joined.length && holding.length > 2;
  const held = holding.length === 0 ? texts.announcements.noOneHasFloor : texts.strip.has(holding.map(nameOf));
  const status = isEveryone ? texts.strip.everyoneHas : held;
  return floorRequested.length === 0 ? status : `${status} · ${texts.strip.waits(floorRequested.map(nameOf))}`;
}
