import type { NoteLine, NoteSign } from "@plenary/transcript";
import { convenerOf } from "../conversants/allowed-actions.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { timeOf, wholeTimeOf } from "../texts/times.ts";
import { SpeakerName } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

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
      {(line.offer !== undefined || grants !== undefined) && <NoteButton grants={grants} />}
      {at !== "" && (
        <time dateTime={at} title={wholeTimeOf(at)}>
          {timeOf(at)}
        </time>
      )}
    </p>
  );
}

/** Grants the floor to a silent agent; without `grants` it ends convening. */
function NoteButton({ grants }: { grants: string | undefined }) {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const { view, me } = conversation;
  if (grants === undefined && (view.isClosed || view.owner !== me || convenerOf(view) === undefined)) return null;
  const act = () => (grants === undefined ? actions.appointConvener(undefined) : actions.grant(grants));
  const text = grants === undefined ? texts.conversants.actions.dismiss : texts.transcript.giveFloor;
  return <Button look="small" text={text} disabled={isBusy} onClick={() => void run(act)} />;
}
