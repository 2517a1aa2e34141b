import { nameIn } from "@plenary/transcript";
import { useEffect, useRef } from "react";
import type { ConversationState } from "../../state/types.ts";
import { texts } from "../../texts/texts.ts";
import { pageSpeechQueue } from "./browser-speech.ts";
import { createReadAloud, type ReadAloud } from "./read-aloud.ts";

/** Reads new utterances of others aloud while the setting is on, and stops at once when it is switched off. */
export function useReadAloud(conversation: ConversationState, isOn: boolean): void {
  const { id, me, connection } = conversation;
  const reader = useRef<ReadAloud>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation has another past
  useEffect(() => {
    const speaker = pageSpeechQueue();
    if (!isOn || speaker === undefined) return;
    reader.current = createReadAloud(speaker, me);
    return () => {
      reader.current = undefined;
      speaker.stop();
    };
  }, [id, me, isOn]);
  useEffect(() => {
    // Once the connection is live, all past lines have arrived.
    if (!isOn || connection !== "live") return;
    const name = (speakerUri: string) =>
      speakerUri === me ? texts.common.you.object : nameIn(conversation, speakerUri);
    reader.current?.read(conversation.lines, name);
  }, [conversation, connection, me, isOn]);
}
