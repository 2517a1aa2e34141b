import type { UtteranceLine } from "@plenary/transcript";
import { nameIn } from "@plenary/transcript";
import { spoken, spokenTextOf } from "../features/plain-text.ts";
import type { ConversationState } from "../state/types.ts";
import { speakerText } from "../texts/speaker-text.ts";
import { texts } from "../texts/texts.ts";

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
