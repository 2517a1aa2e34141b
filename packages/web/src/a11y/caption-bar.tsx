import { faceOf } from "@plenary/transcript";
import { useEffect, useRef } from "react";
import type { ConversationState, Settings } from "../state/types.ts";
import { captionOf } from "./caption.ts";

type Props = { conversation: ConversationState; size: Settings["captionSize"] };

/** Shows the newest words in large type. Screen readers get them from the announcer. */
export function CaptionBar({ conversation, size }: Props) {
  const words = useRef<HTMLParagraphElement>(null);
  const caption = size === 0 ? undefined : captionOf(conversation);
  const text = caption?.text;
  const isGrowing = caption?.isGrowing === true;
  useEffect(() => {
    // A growing caption stays scrolled to its end; a finished one is read from its beginning.
    if (isGrowing && text !== undefined) words.current?.scrollTo({ top: words.current.scrollHeight });
  }, [text, isGrowing]);
  if (caption === undefined) return null;
  const { hue } = faceOf(caption.speakerUri, undefined);
  return (
    <div className="ui-captions" data-size={size} data-hue={hue} aria-hidden="true">
      <p className="ui-captions-name">
        <bdi>{caption.name}</bdi>
      </p>
      <p className="ui-captions-words" key={caption.dialogEventId} ref={words} dir="auto">
        {caption.text}
      </p>
    </div>
  );
}
