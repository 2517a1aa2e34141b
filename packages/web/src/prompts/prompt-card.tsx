import { useId } from "react";
import { followable, LinkTo } from "../features/link-to.tsx";
import { useOpenConversation } from "../state/context.ts";
import { Parts, texts } from "../texts/texts.ts";
import { SpeakerName } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { type PromptStatus, promptStatus } from "./answer-status.ts";
import { InputFields } from "./input-fields.tsx";
import type { Prompt } from "./read-prompts.ts";
import { timeLeft, useFloorTime } from "./time-left.ts";
import { type AnswerState, useAnswer } from "./use-answer.ts";

/** A prompt in the transcript, with its fields or its outcome. */
export function PromptCard({ prompt }: { prompt: Prompt }) {
  const { conversation } = useOpenConversation();
  const nowMs = useFloorTime(prompt.reply === undefined ? prompt.untilMs : undefined);
  const answering = useAnswer(prompt);
  const standing = promptStatus(prompt, conversation.me, nowMs);
  const isOpen = standing.kind === "open" && !answering.isUnderway;
  const looks = ["prompt-card", `prompt-${standing.kind}`, prompt.isWhisper && "prompt-private"];
  if (prompt.inputType === "notification") return <Notification prompt={prompt} answering={answering} />;
  return (
    <form
      id={`prompt-${prompt.seq}`}
      className={looks.filter(Boolean).join(" ")}
      onSubmit={(event) => {
        event.preventDefault();
        answering.send(answering.values.map((value) => value.trim()));
      }}
    >
      {standing.kind === "answered" ? (
        <p className="prompt-text">{prompt.text}</p>
      ) : (
        <Question prompt={prompt} answering={answering} isOpen={isOpen} nowMs={nowMs} />
      )}
      <PromptOutcome prompt={prompt} standing={standing} isUnderway={answering.isUnderway} />
    </form>
  );
}

type QuestionProps = { prompt: Prompt; answering: AnswerState; isOpen: boolean; nowMs: number };

function Question({ prompt, answering, isOpen, nowMs }: QuestionProps) {
  const { values, change, send, trouble } = answering;
  const id = useId();
  const link = followable(prompt.url ?? "");
  const troubleId = trouble === undefined ? undefined : id;
  const hasButton = prompt.inputType !== "binary_choice";
  return (
    <fieldset className="prompt-question" disabled={!isOpen}>
      <legend className="prompt-text">
        {prompt.text}
        {!prompt.isRequired && <span className="quiet"> {texts.prompts.mayBeEmpty}</span>}
      </legend>
      {link && <LinkTo url={link} words={link.href} />}
      <InputFields prompt={prompt} values={values} change={change} send={send} troubleId={troubleId} />
      {trouble !== undefined && (
        <p id={id} className="prompt-trouble" role="alert">
          <Icon name="warning" size={16} /> {trouble}
        </p>
      )}
      {isOpen && (
        <div className="prompt-foot">
          {hasButton && <Button look="main" text={texts.prompts.answer} type="submit" />}
          {prompt.isWhisper && (
            <span className="quiet">
              <Parts of={texts.prompts.onlySees(<SpeakerName speakerUri={prompt.sender} />)} />
            </span>
          )}
          <Countdown prompt={prompt} nowMs={nowMs} />
        </div>
      )}
    </fieldset>
  );
}

type OutcomeProps = { prompt: Prompt; standing: PromptStatus; isUnderway: boolean };

function PromptOutcome({ prompt, standing, isUnderway }: OutcomeProps) {
  const { conversation } = useOpenConversation();
  switch (standing.kind) {
    case "answered":
      return (
        <p className="prompt-outcome prompt-done">
          <Icon name="check" size={16} />
          <span>
            <Parts of={answeredText(standing, conversation.me)} />
          </span>
        </p>
      );
    case "expired":
      return (
        <p className="prompt-outcome prompt-over">
          <Icon name="warning" size={16} />
          <span>{prompt.error ?? (prompt.isOver ? texts.prompts.over : texts.prompts.expired)}</span>
        </p>
      );
    case "watched":
      return (
        <p className="prompt-outcome quiet">
          {prompt.to === undefined ? (
            texts.prompts.waiting
          ) : (
            <Parts of={texts.prompts.waitingFor(<SpeakerName speakerUri={prompt.to} />)} />
          )}
        </p>
      );
    case "open":
      return isUnderway ? <p className="prompt-outcome quiet">{texts.prompts.sending}</p> : null;
  }
}

function answeredText({ by, words }: Extract<PromptStatus, { kind: "answered" }>, me: string) {
  const answer = <strong dir="auto">{words}</strong>;
  return by === me
    ? texts.prompts.youAnswered(answer)
    : texts.prompts.answered(<SpeakerName speakerUri={by} />, answer);
}

function Countdown({ prompt: { untilMs, at }, nowMs }: { prompt: Prompt; nowMs: number }) {
  if (untilMs === undefined) return null;
  const wholeMs = untilMs - Date.parse(at);
  const leftMs = Math.min(wholeMs, untilMs - nowMs);
  return (
    <p className={leftMs <= 10_000 ? "prompt-time prompt-soon" : "prompt-time"}>
      <progress max={wholeMs} value={leftMs} aria-label={texts.prompts.timeLeftLabel} />
      <span>{timeLeft(leftMs)}</span>
    </p>
  );
}

/** NeMo expects no reply to a notification. */
function Notification({ prompt, answering }: { prompt: Prompt; answering: AnswerState }) {
  if (answering.isDismissed) return null;
  return (
    <div id={`prompt-${prompt.seq}`} className="prompt-card prompt-notification">
      <Icon name="help" />
      <p className="prompt-text">{prompt.text}</p>
      <Button look="small" text={texts.common.ok} onClick={answering.dismiss} />
    </div>
  );
}
