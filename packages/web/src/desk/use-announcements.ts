import { useEffect, useRef } from "react";
import type { ConversationState } from "../state/types.ts";
import { announcementsOf } from "./announcements.ts";
import type { Tone } from "./create-announcer.ts";

type Announce = (sentence: string, tone?: Tone) => void;

/** Tells what happens in the open conversation, in whole sentences: never a word at a time. */
export function useAnnouncements(conversation: ConversationState | undefined, announce: Announce): void {
  const before = useRef<ConversationState>(undefined);
  useEffect(() => {
    if (conversation !== undefined) {
      for (const { sentence, tone } of announcementsOf(before.current, conversation)) announce(sentence, tone);
    }
    before.current = conversation;
  }, [conversation, announce]);
}
