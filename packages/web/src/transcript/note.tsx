import type { NoteLine, NoteSign } from "@plenary/transcript";
import { lazy, Suspense } from "react";
import { texts } from "../texts/texts.ts";
import { timeOf, wholeTimeOf } from "../texts/times.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { SpeakerName } from "./speaker-name.tsx";

const icons: Record<NoteSign, IconName> = {
  door: "door",
  hand: "hand",
  floor: "floor",
  role: "people",
  pause: "pause",
  warning: "warning",
  whisper: "lock",
  pen: "pen",
  card: "card",
};

/** Loaded on demand: few notes have a button. */
const NoteButton = lazy(() => import("./note-button.tsx"));

export function Note({ line, isFound }: { line: NoteLine; isFound: boolean }) {
  const { sign, tone, words, reason, at, times, grants } = line;
  return (
    <p className={["note", tone, isFound && "found"].filter(Boolean).join(" ")}>
      <Icon name={icons[sign]} size={14} />
      <span>
        {words.map((word, index) => {
          if (typeof word === "string") return word;
          // The words of notes come from @plenary/transcript, which writes English.
          // biome-ignore lint/suspicious/noArrayIndexKey: a sentence keeps its order
          return <SpeakerName key={index} speakerUri={word.speakerUri} you={index === 0 ? "You" : "you"} />;
        })}
        {times !== undefined && texts.transcript.times(times)}
        {reason && (sign === "pause" ? `: ${reason}` : <q className="reason">{reason}</q>)}
      </span>
      {(line.offer !== undefined || grants !== undefined) && (
        <Suspense>
          <NoteButton grants={grants} />
        </Suspense>
      )}
      {at !== "" && (
        <time dateTime={at} title={wholeTimeOf(at)}>
          {timeOf(at)}
        </time>
      )}
    </p>
  );
}
