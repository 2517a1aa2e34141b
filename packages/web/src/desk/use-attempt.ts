import { useCallback, useState } from "react";

export type Attempt = {
  isBusy: boolean;
  /** Why it did not work, in words for a person. */
  trouble: string | undefined;
  attempt(work: () => Promise<void>, whenDone?: () => void): void;
};

/** One thing at a time that may fail, and what to say then. */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const attempt = useCallback((work: () => Promise<void>, whenDone?: () => void) => {
    setBusy(true);
    setTrouble(undefined);
    work().then(
      () => {
        setBusy(false);
        whenDone?.();
      },
      (cause: unknown) => {
        setBusy(false);
        setTrouble(wordsOf(cause));
      },
    );
  }, []);
  return { isBusy, trouble, attempt };
}

export function wordsOf(cause: unknown): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : "That did not work.";
}
