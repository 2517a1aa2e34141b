import type { LiveDraft, Unsent } from "@plenary/client";
import { nameIn } from "@plenary/transcript";
import { lazy, Suspense } from "react";
import { errorText } from "../api/floor.ts";
import { convenerOf } from "../conversants/allowed-actions.ts";
import { Markdown } from "../features/markdown/markdown.tsx";
import { useOpenConversation } from "../state/context.ts";
import { Parts, texts } from "../texts/texts.ts";
import { SpeakerName } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { UtteranceFrame, WhisperBadge } from "./utterance.tsx";

/** Loaded with the first step. */
const DraftSteps = lazy(() => import("./draft-steps.tsx"));

/** A draft. Screen readers hear its start and its end, not each word. */
export function DraftItem({ draft }: { draft: LiveDraft }) {
  const { conversation } = useOpenConversation();
  const { speakerUri, text, isPartial, isWhisper, steps } = draft;
  const name = nameIn(conversation, speakerUri);
  return (
    <UtteranceFrame
      sender={speakerUri}
      looks={["utterance", "draft", isWhisper && "whisper"]}
      label={texts.announcements.isAnswering(name)}
      isMine={false}
      isBusy
      head={
        <header className="head">
          <strong className="speaker">
            <SpeakerName speakerUri={speakerUri} />
          </strong>
          {isWhisper && <WhisperBadge />}
          <span className="aside">{texts.transcript.isAnswering}</span>
          <span className="pulse" aria-hidden="true" />
        </header>
      }
    >
      {steps && (
        <Suspense>
          <DraftSteps steps={steps} />
        </Suspense>
      )}
      <Markdown text={isPartial ? `… ${text}` : text} isPartial />
    </UtteranceFrame>
  );
}

export function UnsentItem({ unsent }: { unsent: Unsent }) {
  const { conversation, actions } = useOpenConversation();
  const { text, to, isWhisper = false, state, problem, id } = unsent;
  const convener = convenerOf(conversation.view);
  const isHeld =
    state === "taken" && convener !== undefined && !conversation.view.floorGranted.includes(conversation.me);
  return (
    <UtteranceFrame
      sender={conversation.me}
      looks={["utterance", "unsent", isWhisper && "whisper"]}
      label={texts.transcript.unsentLabel}
      isMine
      head={
        <header className="head">
          <strong className="speaker">{texts.common.you.subject}</strong>
          {isWhisper && <WhisperBadge />}
          {to !== undefined && (
            <span className="aside">
              <Parts of={texts.transcript.to(<SpeakerName speakerUri={to} />)} />
            </span>
          )}
          <span className="aside">{texts.transcript.unsentStates[state]}</span>
        </header>
      }
    >
      <p dir="auto" className="plain">
        {text}
      </p>
      {isHeld && (
        <p className="quiet row">
          {texts.transcript.convenerHolds(nameIn(conversation, convener))}
          <Button look="small plain" text={texts.transcript.hide} onClick={() => actions.discard(id)} />
        </p>
      )}
      {(state === "waiting" || state === "refused") && (
        <p className="quiet row">
          {problem && errorText(problem)}
          <Button look="small" text={texts.transcript.tryNow} onClick={() => actions.retry(id)} />
          <Button look="small plain" text={texts.transcript.discard} onClick={() => actions.discard(id)} />
        </p>
      )}
    </UtteranceFrame>
  );
}
