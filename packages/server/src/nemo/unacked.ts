import type { Clock } from "../ports/clock.ts";
import type { NemoOutput } from "./output.ts";
import type { OutputSink } from "./participant.ts";

type LostOutput = { output: readonly NemoOutput[]; parentId: string };

/** Of more, the oldest is given up. */
const charsMax = 262_144;
const pieceChars = 4_096;
/** A client is pinged this many times at once, and then at this interval: a ping costs as much as a piece of output. */
const asksMax = 20;
const askEveryMs = 3_000;

type OutputPiece = { output: NemoOutput[]; parentId: string; chars: number };

/** What was sent to a client and not confirmed by its pong. */
export type UnackedOutput = {
  add(sink: OutputSink, output: readonly NemoOutput[], parentId: string): void;
  /** Asks the client, by a ping, whether all of it has arrived. */
  ask(sink: OutputSink): void;
  /** Returns it, in order. */
  end(): LostOutput[];
};

export function createUnackedOutput(clock: Clock): UnackedOutput {
  return new UnackedPieces(clock);
}

/** A class, because it is used with every delta of every viewer. */
class UnackedPieces implements UnackedOutput {
  readonly #clock: Clock;
  #kept: OutputPiece[] = [];
  /** Words that follow are added to it: there are many of them, and each is short. */
  #open: OutputPiece | undefined;
  #first = 0;
  #chars = 0;
  #round = 0;
  #isAsking = false;
  #asksLeft = asksMax;
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  add(sink: OutputSink, output: readonly NemoOutput[], parentId: string): void {
    if (sink.onceReached === undefined) return;
    this.#keep(output, parentId);
    const isDue = output.some(({ kind }) => kind === "complete" || kind === "prompt");
    if (isDue || (!this.#isAsking && this.#mayAsk())) this.ask(sink);
  }

  ask(sink: OutputSink): void {
    [this.#open, this.#isAsking] = [undefined, true];
    const [upTo, its] = [this.#first + this.#kept.length, this.#round];
    sink.onceReached?.(() => {
      if (its !== this.#round) return;
      this.#isAsking = false;
      if (upTo > this.#first) this.#drop(upTo - this.#first);
    });
  }

  end(): LostOutput[] {
    const lost = this.#kept;
    [this.#kept, this.#open, this.#chars, this.#first] = [[], undefined, 0, 0];
    this.#isAsking = false;
    this.#round += 1;
    return lost;
  }

  #keep(output: readonly NemoOutput[], parentId: string): void {
    const size = sizeOf(output);
    this.#chars += size;
    const open = this.#open;
    if (open?.parentId === parentId && open.chars < pieceChars) {
      addTo(open, output);
      open.chars += size;
      return;
    }
    this.#open = { output: [...output], parentId, chars: size };
    this.#kept.push(this.#open);
    while (this.#chars > charsMax && this.#kept.length > 1) this.#drop(1);
  }

  #drop(count: number): void {
    for (const piece of this.#kept.splice(0, count)) {
      this.#first += 1;
      this.#chars -= piece.chars;
    }
  }

  #mayAsk(): boolean {
    const nowMs = this.#clock.now();
    const more = Math.floor((nowMs - this.#sinceMs) / askEveryMs);
    if (more > 0) [this.#asksLeft, this.#sinceMs] = [Math.min(asksMax, this.#asksLeft + more), nowMs];
    if (this.#asksLeft === 0) return false;
    this.#asksLeft -= 1;
    return true;
  }
}

function addTo({ output: all }: OutputPiece, output: readonly NemoOutput[]): void {
  for (const one of output) {
    const last = all.at(-1);
    if (one.kind === "delta" && last?.kind === "delta")
      all[all.length - 1] = { kind: "delta", text: last.text + one.text };
    else all.push(one);
  }
}

function sizeOf(output: readonly NemoOutput[]): number {
  let size = 0;
  for (const one of output) size += one.kind === "delta" ? one.text.length : JSON.stringify(one).length;
  return size;
}

/**
 * The part of it for the next client. A question that waits is sent anyway. To a client that sends a new message, or waits
 * for a later turn, the end of an earlier one would be the end of that. `awaited`: the message whose turn
 * is over, if that is still waited for.
 */
export function wantedOf(lost: readonly LostOutput[], awaited: string | undefined): LostOutput[] {
  return lost
    .map(({ output, parentId }) => {
      const isWanted = ({ kind }: NemoOutput) => kind === "delta" || (kind !== "prompt" && awaited === parentId);
      return { output: output.filter(isWanted), parentId };
    })
    .filter(({ output }) => output.length > 0);
}
