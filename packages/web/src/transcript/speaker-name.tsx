import { nameIn } from "@plenary/transcript";
import { useOpenConversation } from "../state/context.ts";

/** Display name of a conversant, with its URI as tooltip. */
export function SpeakerName({ speakerUri, you = "You" }: { speakerUri: string; you?: "You" | "you" }) {
  const { conversation } = useOpenConversation();
  const text = speakerUri === conversation.me ? you : nameIn(conversation, speakerUri);
  return (
    <bdi className="name" title={speakerUri}>
      {text}
    </bdi>
  );
}
