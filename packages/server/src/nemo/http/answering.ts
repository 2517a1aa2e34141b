import type { ErrorContent, PromptContent } from "@plenary/nemo";
import type { HttpPiece, ResponseWriter } from "./response-writer.ts";
import type { HttpTurn, TurnEnd } from "./run-turn.ts";

/** The result of a request. */
export type AnswerOutcome = { ending: TurnEnd; text: string; traceId?: string; error?: ErrorContent };

/** The answer to a request, piece by piece. */
export type ResponseStream = {
  /** The next piece; undefined when it is over. */
  next(): Promise<HttpPiece | undefined>;
  outcome(): AnswerOutcome;
  /** The text of all pieces so far, with the spaces at its end. */
  textSoFar(): string;
  /** The client no longer waits. A turn with an open question goes on; every other turn ends. */
  leave(): Promise<void>;
};

type Options = {
  turn: HttpTurn;
  writer: ResponseWriter;
  /** A note of the floor that comes first in the answer. */
  note?: string;
  /** Makes a piece of a question that the client answers with a second request; undefined while it is incomplete. */
  ask(content: PromptContent): HttpPiece | undefined;
  /** The client no longer waits for the answer. */
  onLeft(): void;
  /** Runs once, after the last piece. */
  onEnd(outcome: AnswerOutcome): Promise<void>;
  onError(error: unknown): void;
};

export function createAnswering({ turn, writer, note, ask, onLeft, onEnd, onError }: Options): ResponseStream {
  let traceId: string | undefined;
  let first = note === undefined ? undefined : writer.note(note);
  let isKept = false;
  let ended: Promise<void> | undefined;
  const outcome = (): AnswerOutcome => {
    const [ending, error] = [turn.ending(), writer.error()];
    return {
      ending,
      text: writer.text().trimEnd(),
      ...(traceId !== undefined && { traceId }),
      ...(ending === "failed" && error !== undefined && { error }),
    };
  };
  const end = () => {
    ended ??= turn.leave().then(() => {
      onLeft();
      return onEnd(outcome());
    });
    return ended;
  };
  const over = async (): Promise<HttpPiece | undefined> => {
    if (ended !== undefined) return undefined;
    const last = writer.ended(turn.ending());
    await end();
    return last;
  };
  const pieceOf = (output: NonNullable<Awaited<ReturnType<HttpTurn["next"]>>>): HttpPiece | undefined => {
    const piece = writer.piece(output);
    if (piece?.kind === "trace") traceId = piece.traceId;
    if (piece?.kind !== "prompt") return piece;
    const promptPiece = ask(piece.content);
    isKept ||= promptPiece !== undefined;
    return promptPiece;
  };
  const step = async (): Promise<HttpPiece | undefined> => {
    let piece = first;
    first = undefined;
    while (piece === undefined) {
      const output = await turn.next();
      if (output === undefined) return over();
      piece = pieceOf(output);
    }
    return piece;
  };
  let last: Promise<unknown> = Promise.resolve();
  // Steps run one at a time: the client may leave while a step waits.
  const next = () => {
    const piece = last.then(step, step).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    last = piece;
    return piece;
  };
  const runToEnd = async () => {
    while (ended === undefined) await next();
  };
  return {
    next,
    outcome,
    textSoFar: writer.text,
    async leave() {
      onLeft();
      if (isKept) runToEnd().catch(onError);
      else await end();
    },
  };
}
