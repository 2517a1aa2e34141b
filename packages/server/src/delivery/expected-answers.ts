/**
 * Answers that deliveries wait for, by the name that only their recipients know. The floor decides how many deliveries it
 * sends, so the first answer to each does not count against the rate of its sender.
 */
export type OpenAnswers = {
  /** A delivery waits for its answer. Returns the way to say that it does not any longer. */
  open(id: string): () => void;
  /** Whether this is the first answer to an open delivery. */
  take(id: string): boolean;
};

export function createOpenAnswers(): OpenAnswers {
  const awaited = new Map<string, { isTaken: boolean; holders: number }>();
  return {
    open(id) {
      // The outbox and the socket that carries the delivery both wait for the same answer.
      const answer = awaited.get(id) ?? { isTaken: false, holders: 0 };
      answer.holders += 1;
      awaited.set(id, answer);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        answer.holders -= 1;
        if (answer.holders === 0) awaited.delete(id);
      };
    },
    take(id) {
      const answer = awaited.get(id);
      if (answer === undefined || answer.isTaken) return false;
      answer.isTaken = true;
      return true;
    },
  };
}
