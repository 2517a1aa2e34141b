import { type ErrorContent, optionLines, type PromptContent, type Step, severalAdvice } from "@plenary/nemo";
import { comesLater, stillAtWork } from "../error-text.ts";
import type { NemoOutput } from "../participant.ts";
import type { HttpTurn, TurnEnd } from "./run-turn.ts";

/** The output for a client over HTTP: the same as over a socket, in fewer kinds. */
export type HttpPiece =
  | { kind: "text"; text: string }
  | { kind: "step"; step: Step }
  | { kind: "error"; error: ErrorContent }
  | { kind: "trace"; traceId: string }
  /** A question that the client answers with a second request. */
  | { kind: "asked"; events: readonly { event: string; data: object }[] };

type ResponseMode = { isAlone: boolean; isInteractive?: boolean };

/** `isAlone`: no other message follows in this conversation. `isInteractive`: questions are not part of the text. */
export function createResponseWriter({ isAlone, isInteractive = false }: ResponseMode) {
  let whole = "";
  let first: ErrorContent | undefined;
  const text = (given: string): HttpPiece | undefined => {
    // Text before it, such as greetings, may have been dropped.
    const words = whole === "" ? given.replace(/^\n+/u, "") : given;
    whole += words;
    return words === "" ? undefined : { kind: "text", text: words };
  };
  const paragraph = (words: string) => {
    const gap = whole === "" || whole.endsWith("\n\n") ? "" : whole.endsWith("\n") ? "\n" : "\n\n";
    return text(`${gap}${words}`);
  };
  return {
    piece(output: NemoOutput): HttpPiece | Extract<NemoOutput, { kind: "prompt" }> | undefined {
      switch (output.kind) {
        case "delta":
          return text(output.text);
        case "step": {
          const { kind: _, ...step } = output;
          return { kind: "step", step };
        }
        case "prompt":
          if (isInteractive) return output.content.input_type === "notification" ? undefined : output;
          return isSent(output.content) ? undefined : paragraph(questionText(output.content, isAlone));
        case "error":
          first ??= output.error;
          return { kind: "error", error: output.error };
        case "trace":
          return { kind: "trace", traceId: output.traceId };
        case "complete":
          return undefined;
      }
    },
    /** A note of the floor, as a paragraph. */
    note: (words: string) => paragraph(`*(${words})*`),
    /** A notice about how the turn ended. */
    ended(ending: TurnEnd): HttpPiece | undefined {
      // All text may have been dropped with the greetings.
      if (ending === "complete" && whole === "") return text("*(Nobody answered.)*");
      if (ending !== "late" && ending !== "cut") return undefined;
      const rest = isAlone ? "It is not waited for." : comesLater;
      return paragraph(`*(${ending === "late" ? stillAtWork : "This answer ends here."} ${rest})*`);
    },
    /** The text so far. */
    text: () => whole,
    /** The first error. */
    error: () => first,
  };
}

/** The text already has notices and addresses for consent. */
function isSent({ input_type: type }: PromptContent): boolean {
  return type === "notification" || type === "oauth_consent";
}

const wordsAdvice = "Answer with your next message.";

/** A question as text: the reader answers with the next message. */
function questionText(content: PromptContent, isAlone: boolean): string {
  const { text } = content;
  if (!("options" in content)) return isAlone ? `${text}\n\n${wordsAdvice}` : text;
  const lines = optionLines(content.options);
  const isOne = content.input_type !== "checkbox";
  const how = isOne ? `Answer with a number from 1 to ${lines.length}.` : severalAdvice;
  return [text, lines.join("\n"), how].join("\n\n");
}

/** Whether an answer ends with a question of `questionText`. */
export function endsInQuestion(answer: string): boolean {
  const words = answer.trimEnd();
  return [wordsAdvice, severalAdvice].some((advice) => words.endsWith(advice)) || numberAdvice.test(words);
}

const numberAdvice = /Answer with a number from 1 to \d+\.$/u;

/** The result of a request. */
export type AnswerOutcome = { ending: TurnEnd; text: string; traceId?: string; error?: ErrorContent };

export type ResponseStream = ReturnType<typeof createAnswering>;

type Options = {
  turn: HttpTurn;
  writer: ReturnType<typeof createResponseWriter>;
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

/** The answer to a request, piece by piece. */
export function createAnswering({ turn, writer, note, ask, onLeft, onEnd, onError }: Options) {
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
  const pieceOf = (output: NemoOutput): HttpPiece | undefined => {
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
  const next = (): Promise<HttpPiece | undefined> => {
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
    /** The next piece; undefined when it is over. */
    next,
    outcome,
    /** The text of all pieces so far, with the spaces at its end. */
    textSoFar: writer.text,
    /** The client no longer waits. A turn with an open question goes on; every other turn ends. */
    async leave(): Promise<void> {
      onLeft();
      if (isKept) runToEnd().catch(onError);
      else await end();
    },
  };
}
