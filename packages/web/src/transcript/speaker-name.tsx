import { nameIn } from "@plenary/transcript";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";

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
