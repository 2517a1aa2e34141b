import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Composer, type ComposerHandle } from "../compose/composer.tsx";
import { AddressChangeBanner, PauseBanner } from "../conversants/banners.tsx";
import { ConversantsPanel } from "../conversants/conversants-panel.tsx";
import { useReadAloud } from "../features/speech/use-read-aloud.ts";
import { FloorStrip } from "../floor-strip/floor-strip.tsx";
import { PromptBar } from "../prompts/prompt-bar.tsx";
import { type PageHandle, useOpenConversation, usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { TranscriptView } from "../transcript/transcript-view.tsx";
import { ConversationHead } from "./conversation-head.tsx";

/** Loaded on demand: captions are off by default. */
const CaptionBar = lazy(async () => ({ default: (await import("../a11y/caption-bar.tsx")).CaptionBar }));

type Props = { page: PageHandle; wantedSeq: number | undefined; onMenu: () => void };

/** One conversation: floor strip, transcript, composer and the list of conversants. */
export function ConversationPage({ page, wantedSeq, onMenu }: Props) {
  const { conversation } = useOpenConversation();
  const { settings } = usePageServices();
  const composer = useRef<ComposerHandle>(null);
  const [wanted, setWanted] = useState(wantedSeq === undefined ? undefined : { seq: wantedSeq });
  const [hasStrip, setStrip] = useState(true);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const jump = (seq: number) => setWanted({ seq });
  useEffect(() => {
    document.title = `${conversation.view.title ?? texts.common.conversation} · Plenary`;
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
      <main className="conversation" aria-label={conversation.view.title ?? texts.common.conversation}>
        <ConversationHead onMenu={onMenu} isPanelOpen={isPanelOpen} onPanel={() => setPanelOpen(!isPanelOpen)} />
        {hasStrip && <FloorStrip onJump={jump} />}
        <PauseBanner />
        <AddressChangeBanner />
        <TranscriptView wanted={wanted} />
        {settings.captionSize > 0 && (
          <Suspense>
            <CaptionBar conversation={conversation} size={settings.captionSize} />
          </Suspense>
        )}
        <div className="dock">
          <PromptBar onJump={jump} />
          <Composer ref={composer} />
        </div>
      </main>
      <aside className={["panel", isPanelOpen && "open"].filter(Boolean).join(" ")} aria-label={texts.common.whoIsHere}>
        <ConversantsPanel
          onMention={(speakerUri) => withComposer((handle) => handle.mention(speakerUri))}
          onWhisper={(speakerUri) => withComposer((handle) => handle.whisper(speakerUri))}
        />
      </aside>
    </>
  );
}
