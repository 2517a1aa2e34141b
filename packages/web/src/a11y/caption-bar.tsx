import { faceOf, nameIn, type UtteranceLine } from "@plenary/transcript";
import { useEffect, useRef } from "react";
import { spoken, spokenTextOf } from "../features/plain-text.ts";
import type { ConversationState, Settings } from "../state/types.ts";
import { speakerText, texts } from "../texts/texts.ts";

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

type Caption = { dialogEventId: string; speakerUri: string; name: string; text: string; isGrowing: boolean };

/** A growing caption shows only its end. */
const newestMax = 4_000;

/**
 * The caption of the newest draft, or else of the last utterance. One's own utterances need no caption, and whispers
 * must not be readable by bystanders.
 */
export function captionOf(conversation: ConversationState): Caption | undefined {
  const { drafts, lines, me } = conversation;
  const name = (speakerUri: string) => (speakerUri === me ? texts.common.you.object : nameIn(conversation, speakerUri));
  const draft = drafts.findLast(({ speakerUri, text, isWhisper }) => !isWhisper && speakerUri !== me && text.trim());
  if (draft !== undefined) {
    const { dialogEventId, speakerUri, text } = draft;
    return { dialogEventId, speakerUri, name: name(speakerUri), text: spoken(text.slice(-newestMax)), isGrowing: true };
  }
  const line = lines.findLast((one): one is UtteranceLine => one.kind === "utterance" && isShown(one, me));
  if (line === undefined) return undefined;
  return {
    dialogEventId: line.dialogEvent.id,
    speakerUri: line.sender,
    name: speakerText(line, name),
    text: spokenTextOf(line.dialogEvent),
    isGrowing: false,
  };
}

function isShown({ sender, isWhisper }: UtteranceLine, me: string): boolean {
  return sender !== me && !isWhisper;
}
