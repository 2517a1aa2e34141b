import { nameIn } from "@plenary/transcript";
import { useScene } from "../state/context.ts";

/** A conversant by its name; its URI for those who want to know exactly. */
export function Name({ speakerUri, you = "You" }: { speakerUri: string; you?: "You" | "you" }) {
  const { conversation } = useScene();
  const text = speakerUri === conversation.me ? you : nameIn(conversation, speakerUri);
  return (
    <bdi className="name" title={speakerUri}>
      {text}
    </bdi>
  );
}
