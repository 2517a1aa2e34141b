import { answerWords, recordOf, replyFeature } from "@plenary/protocol";
import { useState } from "react";
import { errorText, isAborted } from "../api/floor.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { storageKey, tabStorage, unfinishedCharsMax } from "../state/storage.ts";
import { texts } from "../texts/texts.ts";
import { missingAnswer } from "./answer-status.ts";
import type { Prompt } from "./read-prompts.ts";

export type AnswerState = ReturnType<typeof useAnswer>;

type StoredAnswer = { values: readonly string[]; isSent: boolean; isDismissed: boolean };

/** An unfinished answer survives a reload. A failed one can be sent again. */
export function useAnswer(prompt: Prompt) {
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
          if (!isAborted(error)) setTrouble(errorText(error));
        },
      )
      .finally(() => setInFlight(false));
  };
  const change = (next: readonly string[]) => {
    setTrouble(undefined);
    put({ ...kept, values: next });
  };
  return {
    values,
    change,
    send,
    /** Missing value, or why the server refused. */
    trouble,
    /** Sent, and not yet in the log. */
    isUnderway: isInFlight || (isSent && isUnsent),
    /** The reader closed it; only possible for a notification. */
    isDismissed: kept.isDismissed,
    dismiss: () => put({ ...kept, isDismissed: true }),
  };
}

function readAnswer(kept: unknown): StoredAnswer {
  const { values, isSent, isDismissed } = recordOf(kept);
  return {
    values: Array.isArray(values) ? values.filter((value) => typeof value === "string") : [],
    isSent: isSent === true,
    isDismissed: isDismissed === true,
  };
}
