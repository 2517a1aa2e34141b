import type { NoteLine, NoteSign } from "@plenary/transcript";
import { lazy, Suspense } from "react";
import { Icon, type IconName } from "../ui/icon.tsx";
import { SpeakerName } from "./speaker-name.tsx";
import { timeOf, wholeTimeOf } from "./times.ts";

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
          // biome-ignore lint/suspicious/noArrayIndexKey: a sentence keeps its order
          return <SpeakerName key={index} speakerUri={word.speakerUri} you={index === 0 ? "You" : "you"} />;
        })}
        {times !== undefined && ` (${times} times)`}
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
