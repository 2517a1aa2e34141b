import { nameIn } from "@plenary/transcript";
import { useEffect, useRef, useState } from "react";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Button, TitledIconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { mostUrgent } from "./answer-status.ts";
import type { Prompt } from "./read-prompts.ts";
import { timeLeft, useFloorTime } from "./time-left.ts";

/** A bar above the composer while a prompt waits for the reader. */
export function PromptBar({ onJump }: { onJump(seq: number): void }) {
  const { conversation } = useOpenConversation();
  const { prompts, me, view } = conversation;
  const [put, setPut] = useState<readonly number[]>([]);
  const soonest = prompts.reduce((soon, { reply, untilMs = 0 }) => (reply ? soon : Math.max(soon, untilMs)), 0);
  const nowMs = useFloorTime(soonest);
  const waiting = prompts.filter(({ seq }) => !put.includes(seq));
  const prompt = view.isClosed ? undefined : mostUrgent(waiting, me, nowMs);
  useCountdownAnnouncements(prompt, nowMs, conversation.prompts);
  if (prompt === undefined) return null;
  const { seq, sender, text, untilMs, isWhisper } = prompt;
  return (
    <section className={isWhisper ? "prompt-dock prompt-private" : "prompt-dock"} aria-label={texts.prompts.forYou}>
      <Icon name={isWhisper ? "lock" : "help"} />
      <p className="prompt-dock-text">
        <strong>
          <Parts of={texts.prompts.asks(<bdi>{nameIn(conversation, sender)}</bdi>)} />
        </strong>{" "}
        {text}
      </p>
      {untilMs !== undefined && <span className="quiet prompt-dock-time">{timeLeft(untilMs - nowMs)}</span>}
      <Button
        look="main small"
        text={texts.prompts.answer}
        onClick={() => {
          onJump(seq);
          focusPrompt(seq);
        }}
      />
      <TitledIconButton
        icon="close"
        size={14}
        isSmall
        label={texts.prompts.later}
        onClick={() => setPut((before) => [...before, seq])}
      />
    </section>
  );
}

/** The card may be rendered only after the transcript has scrolled. */
const framesMax = 60;

function focusPrompt(seq: number, framesLeft = framesMax): void {
  const card = document.getElementById(`prompt-${seq}`);
  const control = card?.querySelector<HTMLElement>("textarea, select, input:checked, input, button");
  if (control) control.focus();
  else if (framesLeft > 0) requestAnimationFrame(() => focusPrompt(seq, framesLeft - 1));
}

const spokenAtS = [30, 10];

/** Announced here because the card is not rendered when it is out of sight. */
function useCountdownAnnouncements(prompt: Prompt | undefined, nowMs: number, prompts: readonly Prompt[]): void {
  const { announce } = usePageServices();
  const before = useRef<{ seq: number; leftS: number }>(undefined);
  const seq = prompt?.seq;
  const leftS = prompt?.untilMs === undefined ? undefined : Math.ceil((prompt.untilMs - nowMs) / 1000);
  useEffect(() => {
    const last = before.current;
    before.current = seq === undefined || leftS === undefined ? undefined : { seq, leftS };
    if (last === undefined) return;
    if (seq === last.seq && leftS !== undefined) {
      const mark = spokenAtS.find((second) => last.leftS > second && leftS <= second);
      if (mark !== undefined) announce(texts.prompts.secondsToAnswer(mark));
      return;
    }
    const gone = prompts.find((one) => one.seq === last.seq);
    const isOver = gone?.reply === undefined && gone?.untilMs !== undefined && nowMs >= gone.untilMs;
    if (isOver) announce(gone.error ?? texts.prompts.expired);
  }, [seq, leftS, nowMs, prompts, announce]);
}
