import type { ErrorContent, UserMessage } from "@plenary/nemo";
import type { Running } from "../../context.ts";
import type { Told } from "../output.ts";
import type { NemoPerson, NemoSeats, Outlet, SeatWish } from "../participant.ts";

/** How it ended: told to its end, at a question, after the longest wait, or with nobody to tell it to. */
export type Ending = "complete" | "failed" | "asked" | "late" | "cut" | "gone";

/** A message of a person over HTTP, and what comes of it. */
export type HttpTurn = {
  /** The next piece; undefined when it is over. */
  next(): Promise<Told | undefined>;
  ending(): Ending;
  /** From now on it continues when the client hangs up. Its time limit starts again. */
  keep(): void;
  /** Answers the open question; resolves with the error when the answer is wrong. */
  answer(texts: readonly string[]): Promise<ErrorContent | undefined>;
  /** Nobody listens any more. The turn goes on in the floor. */
  leave(): Promise<void>;
};

export type HttpTurnOptions = {
  person: NemoPerson;
  wish: SeatWish;
  message: Pick<UserMessage, "id" | "parts" | "to" | "isPrivate">;
  /** The answer includes what agents say when they join. */
  isGreeted: boolean;
  /** Each piece goes out when it is taken; otherwise nothing does before the end. */
  isStreamed: boolean;
  /** The client answers a question within the turn, not with the next message. */
  isInteractive: boolean;
  /** Fires when the client hangs up. */
  signal: AbortSignal;
};

type Desk = Pick<Running, "clock"> & { seats: NemoSeats };

/** The floor ends a turn (D4). These limits apply when it does not. */
const streamMsMax = 3_600_000;
const wholeMsMax = 600_000;
/** Characters that a reader has not taken. */
const untakenMax = 4_194_304;

/** Resolves when what the person said is written down. Throws the problem. */
export async function beginHttpTurn({ clock, seats }: Desk, options: HttpTurnOptions): Promise<HttpTurn> {
  const { person, wish, message, isStreamed, signal } = options;
  const pieces = createPieces(isStreamed);
  const endIn = (ms: number) => clock.at(clock.now() + ms, () => pieces.end("late"));
  let cancel = endIn(isStreamed ? streamMsMax : wholeMsMax);
  const hangUp = () => pieces.end("gone");
  signal.addEventListener("abort", hangUp, { once: true });
  if (signal.aborted) hangUp();
  let isSaid = false;
  // Before the message is said, an open question belongs to an earlier message.
  const onQuiet = () => {
    if (isSaid) pieces.end("asked");
  };
  const taken = seats.take(person, wish, outletFor(pieces, options, onQuiet));
  let left: Promise<void> | undefined;
  const leaveOnce = async () => {
    pieces.end("gone");
    cancel();
    signal.removeEventListener("abort", hangUp);
    await taken.then(
      (seat) => seat.leave(pieces.untold()),
      () => {},
    );
  };
  const leave = () => {
    left ??= leaveOnce();
    return left;
  };
  try {
    const seat = await taken;
    await seat.say(message, { mayAnswer: true });
    isSaid = true;
  } catch (error) {
    await leave();
    throw error;
  }
  return {
    next: pieces.next,
    ending: pieces.ending,
    keep() {
      signal.removeEventListener("abort", hangUp);
      cancel();
      cancel = endIn(streamMsMax);
    },
    answer: async (texts) => (await taken).answer(texts),
    leave,
  };
}

type Pieces = ReturnType<typeof createPieces>;

/** What was told and not yet taken. */
function createPieces(isStreamed: boolean) {
  const waiting: Told[] = [];
  let unsent = "";
  let untaken = 0;
  let ended: Ending | undefined;
  let ring = () => {};
  const end = (ending: Ending) => {
    ended ??= ending;
    ring();
  };
  return {
    end,
    ending: () => ended ?? "gone",
    add(told: Told) {
      if (ended !== undefined) return;
      waiting.push(told);
      untaken += sizeOf(told);
      if (untaken > untakenMax) end("cut");
      ring();
    },
    /** The words that did not go out, if whoever wanted them has hung up. */
    untold: () => (ended === "gone" ? unsent + wordsIn(waiting) : ""),
    forget(isMeant: (told: Told) => boolean) {
      waiting.splice(0, waiting.length, ...waiting.filter((told) => !isMeant(told)));
      untaken = waiting.reduce((sum, told) => sum + sizeOf(told), 0);
    },
    async next(): Promise<Told | undefined> {
      while (waiting.length === 0 && ended === undefined) {
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
      const told = waiting.shift();
      if (told !== undefined) untaken -= sizeOf(told);
      if (told !== undefined && !isStreamed) unsent += wordsIn([told]);
      return told;
    },
  };
}

function wordsIn(told: readonly Told[]): string {
  return told.map((one) => (one.kind === "delta" ? one.text : "")).join("");
}

function sizeOf(told: Told): number {
  return JSON.stringify(told).length;
}

/** Of earlier messages only words come: that their turns are over, and what they still ask, is not about this one. */
function outletFor(
  pieces: Pieces,
  { message, isGreeted, isInteractive }: HttpTurnOptions,
  onQuiet: () => void,
): Outlet {
  return {
    tell(told, parentId) {
      const mine = parentId === message.id ? told : told.filter(({ kind }) => kind === "delta");
      for (const one of mine) pieces.add(one);
      // What is told together belongs together: the trace follows the end of its turn.
      const end = mine.find(({ kind }) => kind === "complete");
      if (end?.kind === "complete") pieces.end(end.isFailed ? "failed" : "complete");
    },
    isForOne: true,
    // Whoever asks a model one thing wants no greetings with the answer.
    arrived: () => (isGreeted ? undefined : pieces.forget((told) => told.kind === "delta")),
    // The answer to a question is the next message: nothing else is waited for.
    ...(!isInteractive && { quiet: onQuiet }),
    cut: () => pieces.end("cut"),
  };
}
