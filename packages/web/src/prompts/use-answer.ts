import { answerWords, replyFeature } from "@plenary/protocol";
import { useState } from "react";
import { errorText } from "../api/client.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { storageKey, tabStorage, unfinishedCharsMax } from "../state/storage.ts";
import { texts } from "../texts/texts.ts";
import { missingAnswer } from "./answer-status.ts";
import type { Prompt } from "./read-prompts.ts";

export type AnswerState = {
  values: readonly string[];
  change(values: readonly string[]): void;
  /** Missing value, or why the server refused. */
  trouble: string | undefined;
  /** Sent, and not yet in the log. */
  isUnderway: boolean;
  /** The reader closed it; only possible for a notification. */
  isDismissed: boolean;
  dismiss(): void;
  send(values: readonly string[]): void;
};

type StoredAnswer = { values: readonly string[]; isSent: boolean; isDismissed: boolean };

/** An unfinished answer survives a reload. A failed one can be sent again. */
export function useAnswer(prompt: Prompt): AnswerState {
  const { conversation, actions } = useOpenConversation();
  const { announce } = usePageServices();
  const key = storageKey("answer", conversation.me, conversation.id, prompt.seq);
  const [kept, setKept] = useState<StoredAnswer>(() => readAnswer(tabStorage.read(key)));
  const [trouble, setTrouble] = useState<string>();
  const [isInFlight, setInFlight] = useState(false);
  const put = (next: StoredAnswer) => {
    setKept(next);
    tabStorage.put(key, next, unfinishedCharsMax);
  };
  const { values, isSent } = kept;
  const isUnsent = conversation.unsent.some(
    ({ text, to }) => text === answerWords(prompt.options, values) && to === prompt.sender,
  );
  const send = (chosen: readonly string[]) => {
    const lack = missingAnswer(prompt, chosen);
    setTrouble(lack);
    if (lack !== undefined) return;
    put({ ...kept, values: chosen, isSent: true });
    setInFlight(true);
    const options = {
      to: prompt.sender,
      isWhisper: prompt.isWhisper,
      features: { interactionReply: replyFeature(prompt.id, chosen) },
    };
    actions
      .say(answerWords(prompt.options, chosen), options)
      .then(
        () => announce(texts.prompts.answeredAnnouncement),
        (error: unknown) => {
          put({ ...kept, values: chosen, isSent: false });
          setTrouble(errorText(error));
        },
      )
      .finally(() => setInFlight(false));
  };
  const change = (next: readonly string[]) => {
    setTrouble(undefined);
    put({ ...kept, values: next });
  };
  const dismiss = () => put({ ...kept, isDismissed: true });
  const isUnderway = isInFlight || (isSent && isUnsent);
  return { values, change, trouble, isUnderway, isDismissed: kept.isDismissed, dismiss, send };
}

function readAnswer(kept: unknown): StoredAnswer {
  if (typeof kept !== "object" || kept === null) return { values: [], isSent: false, isDismissed: false };
  return {
    values:
      "values" in kept && Array.isArray(kept.values) ? kept.values.filter((value) => typeof value === "string") : [],
    isSent: "isSent" in kept && kept.isSent === true,
    isDismissed: "isDismissed" in kept && kept.isDismissed === true,
  };
}
