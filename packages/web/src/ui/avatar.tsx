import type { Identification } from "@plenary/protocol";
import { faceOf, nameIn, type SeatKind } from "@plenary/transcript";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";

type Props = {
  speakerUri: string;
  identification: Identification | undefined;
  kind?: SeatKind;
  hasFloor?: boolean;
  isSmall?: boolean;
};

/** Initials in the conversant's colour. */
export function Avatar({ speakerUri, identification, kind = "person", hasFloor, isSmall }: Props) {
  const { initials, hue } = faceOf(speakerUri, identification);
  const looks = ["avatar", kind, hasFloor && "has-floor", isSmall && "small"].filter(Boolean).join(" ");
  return (
    <span className={looks} data-hue={hue} aria-hidden="true">
      {initials}
    </span>
  );
}

/** Display name of a conversant, with its URI as tooltip. */
export function SpeakerName({ speakerUri, you = texts.common.you.object }: { speakerUri: string; you?: string }) {
  const { conversation } = useOpenConversation();
  const text = speakerUri === conversation.me ? you : nameIn(conversation, speakerUri);
  return (
    <bdi className="name" title={speakerUri}>
      {text}
    </bdi>
  );
}
