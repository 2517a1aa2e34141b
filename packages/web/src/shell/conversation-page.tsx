import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Composer } from "../compose/composer.tsx";
import type { ComposerHandle } from "../compose/composer-handle.ts";
import { CaptionBar } from "../desk/caption-bar.tsx";
import { useReadAloud } from "../features/use-read-aloud.ts";
import { ConversantsPanel } from "../floor/conversants-panel.tsx";
import { FloorStrip } from "../floor/floor-strip.tsx";
import { PauseBanner } from "../floor/pause-banner.tsx";
import { PromptDock } from "../prompts/prompt-dock.tsx";
import { useDesk, useScene } from "../state/context.ts";
import { TranscriptView } from "../transcript/transcript-view.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import type { PageHandle } from "./page-handle.ts";

/** Comes when it is needed: agents move rarely. */
const MoveBanner = lazy(() => import("../floor/move-banner.tsx"));

type Props = { page: PageHandle; wantedSeq: number | undefined; onMenu: () => void };

/** One conversation: what is said in the middle, whose floor it is above, who is here beside it. */
export function ConversationPage({ page, wantedSeq, onMenu }: Props) {
  const { conversation } = useScene();
  const { settings } = useDesk();
  const composer = useRef<ComposerHandle>(null);
  const [wanted, setWanted] = useState(wantedSeq === undefined ? undefined : { seq: wantedSeq });
  const [hasStrip, setStrip] = useState(true);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const jump = (seq: number) => setWanted({ seq });
  useEffect(() => {
    document.title = `${conversation.view.title ?? "Conversation"} · Plenary`;
  }, [conversation.view.title]);
  useReadAloud(conversation, settings.isReadAloud);
  useEffect(() => {
    Object.assign(page, {
      compose: () => composer.current?.focus(),
      whisper: (speakerUri?: string) => composer.current?.whisper(speakerUri),
      jump,
      toggleStrip: () => setStrip((before) => !before),
      togglePanel: () => setPanelOpen((before) => !before),
    });
  });
  const withComposer = (act: (handle: ComposerHandle) => void) => {
    setPanelOpen(false);
    if (composer.current !== null) act(composer.current);
  };
  return (
    <>
      <main className="conversation" aria-label={conversation.view.title ?? "Conversation"}>
        <ConversationHead {...{ onMenu, isPanelOpen }} onPanel={() => setPanelOpen(!isPanelOpen)} />
        {hasStrip && <FloorStrip onJump={jump} />}
        <PauseBanner />
        {conversation.view.moves?.length && (
          <Suspense>
            <MoveBanner />
          </Suspense>
        )}
        <TranscriptView wanted={wanted} />
        <CaptionBar conversation={conversation} size={settings.captionSize} />
        <div className="dock">
          <PromptDock onJump={jump} />
          <Composer ref={composer} />
        </div>
      </main>
      <aside className={["panel", isPanelOpen && "open"].filter(Boolean).join(" ")} aria-label="Who is here">
        <ConversantsPanel
          onMention={(speakerUri) => withComposer((handle) => handle.mention(speakerUri))}
          onWhisper={(speakerUri) => withComposer((handle) => handle.whisper(speakerUri))}
        />
      </aside>
    </>
  );
}
