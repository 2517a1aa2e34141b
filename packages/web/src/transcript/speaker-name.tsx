import { nameIn } from "@plenary/transcript";
import { useOpenConversation } from "../state/context.ts";

/** A conversant by its name; its URI for those who want to know exactly. */
export function SpeakerName({ speakerUri, you = "You" }: { speakerUri: string; you?: "You" | "you" }) {
  const { conversation } = useOpenConversation();
  const text = speakerUri === conversation.me ? you : nameIn(conversation, speakerUri);
  return (
    <bdi className="name" title={speakerUri}>
      {text}
    </bdi>
  );
}
