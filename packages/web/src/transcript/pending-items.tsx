import { nameIn } from "@plenary/transcript";
import { lazy, Suspense } from "react";
import { convenerOf } from "../conversants/allowed-actions.ts";
import { Markdown } from "../features/markdown/markdown.tsx";
import { useOpenConversation } from "../state/context.ts";
import type { LiveDraft, Unsent } from "../state/types.ts";
import { Icon } from "../ui/icon.tsx";
import { SpeakerName } from "./speaker-name.tsx";
import { UtteranceFrame } from "./utterance.tsx";

/** Loaded with the first step. */
const DraftSteps = lazy(() => import("./draft-steps.tsx"));

/** A draft. Screen readers hear its start and its end, not each word. */
export function DraftItem({ draft }: { draft: LiveDraft }) {
  const { conversation } = useOpenConversation();
  const { speakerUri, text, isWhisper, steps } = draft;
  const name = nameIn(conversation, speakerUri);
  return (
    <UtteranceFrame
      sender={speakerUri}
      looks={["utterance", "draft", isWhisper && "whisper"]}
      label={`${name} is answering`}
      isMine={false}
      isBusy
      head={
        <header className="head">
          <strong className="speaker">
            <SpeakerName speakerUri={speakerUri} />
          </strong>
          {isWhisper && (
            <span className="secret">
              <Icon name="lock" size={13} /> whisper
            </span>
          )}
          <span className="aside">is answering</span>
          <span className="pulse" aria-hidden="true" />
        </header>
      }
    >
      {steps && (
        <Suspense>
          <DraftSteps steps={steps} />
        </Suspense>
      )}
      <Markdown text={text} isPartial />
    </UtteranceFrame>
  );
}

const states: Record<Unsent["state"], string> = {
  sending: "sending",
  taken: "sent, waits for the floor",
  waiting: "waits to be sent",
  refused: "not heard",
};

export function UnsentItem({ unsent }: { unsent: Unsent }) {
  const { conversation, actions } = useOpenConversation();
  const { text, to, isWhisper, state, problem, dialogEventId } = unsent;
  const convener = convenerOf(conversation.view);
  const isHeld =
    state === "taken" && convener !== undefined && !conversation.view.floorGranted.includes(conversation.me);
  return (
    <UtteranceFrame
      sender={conversation.me}
      looks={["utterance", "unsent", isWhisper && "whisper"]}
      label="You, not sent yet"
      isMine
      head={
        <header className="head">
          <strong className="speaker">You</strong>
          {isWhisper && (
            <span className="secret">
              <Icon name="lock" size={13} /> whisper
            </span>
          )}
          {to !== undefined && (
            <span className="aside">
              to <SpeakerName speakerUri={to} you="you" />
            </span>
          )}
          <span className="aside">{states[state]}</span>
        </header>
      }
    >
      <p dir="auto" className="plain">
        {text}
      </p>
      {isHeld && (
        <p className="quiet row">
          {nameIn(conversation, convener)} decides when others hear this, if at all.
          <button type="button" className="button small plain" onClick={() => actions.discard(dialogEventId)}>
            Hide
          </button>
        </p>
      )}
      {(state === "waiting" || state === "refused") && (
        <p className="quiet row">
          {problem}
          <button type="button" className="button small" onClick={() => void actions.retry(dialogEventId)}>
            Try now
          </button>
          <button type="button" className="button small plain" onClick={() => actions.discard(dialogEventId)}>
            Discard
          </button>
        </p>
      )}
    </UtteranceFrame>
  );
}
