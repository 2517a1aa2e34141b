import type { Clock } from "../ports/clock.ts";
import type { Told } from "./output.ts";
import type { Outlet } from "./participant.ts";

type Lost = { told: readonly Told[]; parentId: string };

/** Of more, the oldest is given up. */
const charsMax = 262_144;
const pieceChars = 4_096;
/** A client is asked what it got so many times at once, and then once in so long: that costs as much as a word told. */
const asksMax = 20;
const askEveryMs = 3_000;

type Piece = { told: Told[]; parentId: string; chars: number };

/** What was sent to a client and not confirmed by its pong. */
export type Unreached = {
  add(outlet: Outlet, told: readonly Told[], parentId: string): void;
  /** Asks the client, by a ping, whether all of it has arrived. */
  ask(outlet: Outlet): void;
  /** Returns it, in order. */
  end(): Lost[];
};

export function createUnreached(clock: Clock): Unreached {
  return new UnreachedPieces(clock);
}

/** A class, because it is used with every delta of every viewer. */
class UnreachedPieces implements Unreached {
  readonly #clock: Clock;
  #kept: Piece[] = [];
  /** Words that follow are added to it: there are many of them, and each is short. */
  #open: Piece | undefined;
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

  add(outlet: Outlet, told: readonly Told[], parentId: string): void {
    if (outlet.onceReached === undefined) return;
    this.#keep(told, parentId);
    const isDue = told.some(({ kind }) => kind === "complete" || kind === "prompt");
    if (isDue || (!this.#isAsking && this.#mayAsk())) this.ask(outlet);
  }

  ask(outlet: Outlet): void {
    [this.#open, this.#isAsking] = [undefined, true];
    const [upTo, its] = [this.#first + this.#kept.length, this.#round];
    outlet.onceReached?.(() => {
      if (its !== this.#round) return;
      this.#isAsking = false;
      if (upTo > this.#first) this.#drop(upTo - this.#first);
    });
  }

  end(): Lost[] {
    const lost = this.#kept;
    [this.#kept, this.#open, this.#chars, this.#first] = [[], undefined, 0, 0];
    this.#isAsking = false;
    this.#round += 1;
    return lost;
  }

  #keep(told: readonly Told[], parentId: string): void {
    const size = sizeOf(told);
    this.#chars += size;
    const open = this.#open;
    if (open?.parentId === parentId && open.chars < pieceChars) {
      addTo(open, told);
      open.chars += size;
      return;
    }
    this.#open = { told: [...told], parentId, chars: size };
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

function addTo({ told: all }: Piece, told: readonly Told[]): void {
  for (const one of told) {
    const last = all.at(-1);
    if (one.kind === "delta" && last?.kind === "delta")
      all[all.length - 1] = { kind: "delta", text: last.text + one.text };
    else all.push(one);
  }
}

function sizeOf(told: readonly Told[]): number {
  let size = 0;
  for (const one of told) size += one.kind === "delta" ? one.text.length : JSON.stringify(one).length;
  return size;
}

/**
 * What whoever comes next is told of it. A question that waits is told anyway. To somebody who says something new, or waits
 * for a later turn, the end of an earlier one would be the end of that. `awaited`: the message whose turn
 * is over, if that is still waited for.
 */
export function wantedOf(lost: readonly Lost[], awaited: string | undefined): Lost[] {
  return lost
    .map(({ told, parentId }) => {
      const isWanted = ({ kind }: Told) => kind === "delta" || (kind !== "prompt" && awaited === parentId);
      return { told: told.filter(isWanted), parentId };
    })
    .filter(({ told }) => told.length > 0);
}
