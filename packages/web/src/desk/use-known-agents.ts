import { useCallback, useEffect, useState } from "react";
import type { KnownAgent } from "../wire/types.ts";
import { type AgentChoice, choiceOf, inOrder } from "./agent-choice.ts";
import { useAttempt } from "./use-attempt.ts";

export type KnownChoices = {
  /** Undefined until they are known. */
  choices: readonly AgentChoice[] | undefined;
  trouble: string | undefined;
  tryAgain(): void;
};

/** The agents this floor knows, asked for once. */
export function useKnownAgents(knownAgents: () => Promise<readonly KnownAgent[]>): KnownChoices {
  const [choices, setChoices] = useState<readonly AgentChoice[]>();
  const [ask] = useState(() => knownAgents);
  const { trouble, attempt } = useAttempt();
  const tryAgain = useCallback(() => {
    attempt(async () => setChoices(inOrder((await ask()).map(choiceOf))));
  }, [ask, attempt]);
  useEffect(tryAgain, [tryAgain]);
  return { choices, trouble, tryAgain };
}
