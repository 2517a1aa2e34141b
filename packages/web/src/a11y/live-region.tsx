import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import type { ConversationState } from "../state/types.ts";
import { announcementsOf } from "./announcements.ts";
import type { Announcer, Spoken, Tone } from "./create-announcer.ts";

// A screen reader must notice a new region before its text arrives.
const settleMs = 120;

/** While a modal dialog is open everything else is inert, so the region is rendered inside the dialog. */
export function LiveRegion({ announcer }: { announcer: Announcer }) {
  const spoken = useSyncExternalStore(announcer.subscribe, announcer.spoken, announcer.spoken);
  const [modal, setModal] = useState<Element | null>(null);
  useEffect(() => {
    if (spoken !== undefined) setModal(topmostModal());
  }, [spoken]);
  useEffect(() => announcer.stop, [announcer]);
  return (
    <>
      <Region spoken={modal === null ? spoken : undefined} />
      {modal !== null && createPortal(<LateRegion spoken={spoken} />, modal)}
    </>
  );
}

function LateRegion({ spoken }: { spoken: Spoken | undefined }) {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settleMs);
    return () => clearTimeout(timer);
  }, []);
  return <Region spoken={isSettled ? spoken : undefined} />;
}

function Region({ spoken }: { spoken: Spoken | undefined }) {
  return (
    <div className="unseen" role="status" aria-live="polite" aria-atomic="true" data-announcer="">
      {spoken && <p key={spoken.id}>{spoken.sentence}</p>}
    </div>
  );
}

function topmostModal(): Element | null {
  return [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;
}

type Announce = (sentence: string, tone?: Tone) => void;

/** Announces changes of the open conversation in whole sentences, never single words. */
export function useAnnouncements(conversation: ConversationState | undefined, announce: Announce): void {
  const before = useRef<ConversationState>(undefined);
  useEffect(() => {
    if (conversation !== undefined) {
      for (const { sentence, tone } of announcementsOf(before.current, conversation)) announce(sentence, tone);
    }
    before.current = conversation;
  }, [conversation, announce]);
}
