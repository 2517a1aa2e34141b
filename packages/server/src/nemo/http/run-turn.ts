import type { ProcessContext } from "../../context.ts";
import type { JoinRequest, NemoOutput, NemoPerson, OutputSink } from "../participant.ts";
import type { NemoParticipants } from "../participants.ts";
import type { ClientMessage } from "../utterance.ts";

/** How a turn ended. `asked`: at a question; `late`: at the time limit; `gone`: the client hung up. */
export type TurnEnd = "complete" | "failed" | "asked" | "late" | "cut" | "gone";

/** A message of a person over HTTP, and its output. */
export type HttpTurn = Awaited<ReturnType<typeof beginHttpTurn>>;

export type HttpTurnOptions = {
  person: NemoPerson;
  joinRequest: JoinRequest;
  message: ClientMessage;
  /** The answer includes what agents say when they join. */
  isGreeted: boolean;
  /** Each piece is sent when it is taken; otherwise all are sent at the end. */
  isStreamed: boolean;
  /** The client answers a question within the turn, not with the next message. */
  isInteractive: boolean;
  /** Fires when the client hangs up. */
  signal: AbortSignal;
};

type TurnContext = Pick<ProcessContext, "clock"> & { participants: NemoParticipants };

/** The floor ends a turn (D4). These limits apply when it does not. */
const streamMsMax = 3_600_000;
const wholeMsMax = 600_000;
/** Limit of the characters that a reader has not taken. */
const untakenMax = 4_194_304;

/** Resolves when the message is in the log. Throws the problem. */
export async function beginHttpTurn({ clock, participants }: TurnContext, options: HttpTurnOptions) {
  const { person, joinRequest, message, isStreamed, signal } = options;
  const pieces = createPieces(isStreamed);
  const endIn = (ms: number) => clock.at(clock.now() + ms, () => pieces.end("late"));
  let cancel = endIn(isStreamed ? streamMsMax : wholeMsMax);
  const hangUp = () => pieces.end("gone");
  signal.addEventListener("abort", hangUp, { once: true });
  if (signal.aborted) hangUp();
  let isSaid = false;
  // Before the message is sent, an open question belongs to an earlier message.
  const onIdle = () => {
    if (isSaid) pieces.end("asked");
  };
  const taken = participants.join(person, joinRequest, sinkFor(pieces, options, onIdle));
  let left: Promise<void> | undefined;
  const leaveOnce = async () => {
    pieces.end("gone");
    cancel();
    signal.removeEventListener("abort", hangUp);
    await taken.then(
      (participant) => participant.leave(pieces.unsent()),
      () => {},
    );
  };
  const leave = () => {
    left ??= leaveOnce();
    return left;
  };
  try {
    const participant = await taken;
    await participant.say(message, { mayAnswer: true });
    isSaid = true;
  } catch (error) {
    await leave();
    throw error;
  }
  return {
    /** The next piece; undefined when it is over. */
    next: pieces.next,
    ending: pieces.ending,
    /** From now on it continues when the client hangs up. Its time limit starts again. */
    keep(): void {
      signal.removeEventListener("abort", hangUp);
      cancel();
      cancel = endIn(streamMsMax);
    },
    /** Answers the open question; resolves with the error when the answer is wrong. */
    answer: async (texts: readonly string[]) => (await taken).answer(texts),
    /** No client listens any more. The turn continues in the floor. */
    leave,
  };
}

type Pieces = ReturnType<typeof createPieces>;

/** Output that was produced and not taken yet. */
function createPieces(isStreamed: boolean) {
  const waiting: NemoOutput[] = [];
  let unsent = "";
  let untaken = 0;
  let ended: TurnEnd | undefined;
  let wake = () => {};
  const end = (ending: TurnEnd) => {
    ended ??= ending;
    wake();
  };
  return {
    end,
    ending: (): TurnEnd => ended ?? "gone",
    add(output: NemoOutput) {
      if (ended !== undefined) return;
      waiting.push(output);
      untaken += sizeOf(output);
      if (untaken > untakenMax) end("cut");
      wake();
    },
    /** The text that was not sent because the client has hung up. */
    unsent: () => (ended === "gone" ? unsent + wordsIn(waiting) : ""),
    forget(isMeant: (output: NemoOutput) => boolean) {
      waiting.splice(0, waiting.length, ...waiting.filter((output) => !isMeant(output)));
      untaken = waiting.reduce((sum, output) => sum + sizeOf(output), 0);
    },
    async next(): Promise<NemoOutput | undefined> {
      while (waiting.length === 0 && ended === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const output = waiting.shift();
      if (output !== undefined) untaken -= sizeOf(output);
      if (output !== undefined && !isStreamed) unsent += wordsIn([output]);
      return output;
    },
  };
}

function wordsIn(output: readonly NemoOutput[]): string {
  return output.map((one) => (one.kind === "delta" ? one.text : "")).join("");
}

function sizeOf(output: NemoOutput): number {
  return JSON.stringify(output).length;
}

/** Of earlier messages, only text is passed on: their ends and prompts do not belong to this message. */
function sinkFor(
  pieces: Pieces,
  { message, isGreeted, isInteractive }: HttpTurnOptions,
  onIdle: () => void,
): OutputSink {
  return {
    send(output, parentId) {
      const mine = parentId === message.id ? output : output.filter(({ kind }) => kind === "delta");
      for (const one of mine) pieces.add(one);
      // One call's output stays together: the trace follows the end of its turn.
      const end = mine.find(({ kind }) => kind === "complete");
      if (end?.kind === "complete") pieces.end(end.isFailed ? "failed" : "complete");
    },
    isForOneMessage: true,
    // Only a conversation that stays open has greetings in its answers.
    agentsJoined: () => (isGreeted ? undefined : pieces.forget((output) => output.kind === "delta")),
    // The next message answers the question, so the request ends.
    ...(!isInteractive && { idle: onIdle }),
    cut: () => pieces.end("cut"),
  };
}
