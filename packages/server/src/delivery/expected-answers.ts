import { ShortLivedMap } from "../short-lived-map.ts";

/**
 * Answers that deliveries wait for, by their secret id. The floor decides how many deliveries it sends, so the first answer
 * to each does not count against the rate limit of its sender.
 */
export type ExpectedAnswers = {
  /** Registers a delivery that waits for its answer. Returns a function that ends the wait. */
  open(id: string): () => void;
  /** Whether this is the first answer to an open delivery. */
  take(id: string): boolean;
};

export function createExpectedAnswers(): ExpectedAnswers {
  const awaited = new ShortLivedMap<{ isTaken: boolean; holders: number }>();
  return {
    open(id) {
      // The outbox and the socket of the delivery both wait for the same answer.
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
