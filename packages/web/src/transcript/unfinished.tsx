import { nameIn } from "@plenary/transcript";
import { lazy, Suspense } from "react";
import { Markdown } from "../features/markdown.tsx";
import { convenerOf } from "../floor/offers.ts";
import { Icon } from "../shell/icon.tsx";
import { useScene } from "../state/context.ts";
import type { LiveDraft, Unsent } from "../state/types.ts";
import { Name } from "./name.tsx";
import { Frame } from "./utterance.tsx";

/** Comes with the first step. */
const DraftSteps = lazy(() => import("./draft-steps.tsx"));

/** What somebody is composing. Screen readers hear that it begins and how it ends, not each word. */
export function DraftItem({ draft }: { draft: LiveDraft }) {
  const { conversation } = useScene();
  const { speakerUri, text, isWhisper, steps } = draft;
  const name = nameIn(conversation, speakerUri);
  return (
    <Frame
      sender={speakerUri}
      looks={["utterance", "draft", isWhisper && "whisper"]}
      label={`${name} is answering`}
      isMine={false}
      isBusy
      head={
        <header className="head">
          <strong className="speaker">
            <Name speakerUri={speakerUri} />
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
    </Frame>
  );
}

const states: Record<Unsent["state"], string> = {
  sending: "sending",
  taken: "sent, waits for the floor",
  waiting: "waits to be sent",
  refused: "not heard",
};

export function UnsentItem({ unsent }: { unsent: Unsent }) {
  const { conversation, actions } = useScene();
  const { text, to, isWhisper, state, problem, dialogEventId } = unsent;
  const convener = convenerOf(conversation.view);
  const isHeld =
    state === "taken" && convener !== undefined && !conversation.view.floorGranted.includes(conversation.me);
  return (
    <Frame
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
              to <Name speakerUri={to} you="you" />
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
    </Frame>
  );
}
