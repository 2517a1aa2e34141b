import type { ErrorContent } from "@plenary/nemo";
import type { HttpPiece, HttpTelling } from "./telling.ts";
import type { Ending, HttpTurn } from "./turn.ts";

/** What came of a request, when it is over. */
export type Outcome = { ending: Ending; text: string; traceId?: string; error?: ErrorContent };

/** A request that is being answered. */
export type Answering = {
  /** The next piece; undefined when it is over. */
  next(): Promise<HttpPiece | undefined>;
  /** Words of the floor before all others. */
  note(words: string): void;
  outcome(): Outcome;
  /** The client has gone, or need not wait: what a question has kept goes on, everything else ends. */
  leave(): Promise<void>;
};

type Options = {
  turn: HttpTurn;
  telling: HttpTelling;
  /** Keeps the turn for the answer to a question. */
  ask?: (asked: Asked) => HttpPiece | undefined;
  /** Once, when it is over and nobody is told any more. */
  onEnd: (outcome: Outcome) => Promise<void>;
  onError: (error: unknown) => void;
};

type Asked = Extract<ReturnType<HttpTelling["piece"]>, { kind: "prompt" }>["content"];

export function createAnswering({ turn, telling, ask, onEnd, onError }: Options): Answering {
  const waiting: HttpPiece[] = [];
  let traceId: string | undefined;
  let isKept = false;
  let ended: Promise<void> | undefined;
  const outcome = (): Outcome => {
    const [ending, error] = [turn.ending(), telling.error()];
    const isFailed = ending === "failed" && error !== undefined;
    return {
      ...{ ending, text: telling.text().trimEnd() },
      ...(traceId !== undefined && { traceId }),
      ...(isFailed && { error }),
    };
  };
  const end = () => {
    ended ??= turn.leave().then(() => onEnd(outcome()));
    return ended;
  };
  const over = async (): Promise<HttpPiece | undefined> => {
    if (ended !== undefined) return undefined;
    const last = telling.ended(turn.ending());
    await end();
    return last;
  };
  const step = async (): Promise<HttpPiece | undefined> => {
    for (;;) {
      const early = waiting.shift();
      if (early !== undefined) return early;
      const told = await turn.next();
      if (told === undefined) return over();
      const piece = telling.piece(told);
      if (piece?.kind === "trace") traceId = piece.traceId;
      if (piece?.kind !== "prompt") {
        if (piece !== undefined) return piece;
        continue;
      }
      const asked = ask?.(piece.content);
      if (asked === undefined) continue;
      isKept = true;
      return asked;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const next = () => {
    const piece = last.then(step, step);
    last = piece;
    return piece;
  };
  const goOn = async () => {
    while (ended === undefined) await next();
  };
  return {
    next,
    note(words) {
      const piece = telling.note(words);
      if (piece !== undefined) waiting.push(piece);
    },
    outcome,
    async leave() {
      if (isKept) goOn().catch(onError);
      else await end();
    },
  };
}
