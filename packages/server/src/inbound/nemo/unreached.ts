import type { Clock } from "../../ports.ts";
import type { Outlet } from "./seat.ts";
import type { Told } from "./told.ts";

/** What was told to a client that may be gone without anybody knowing: nothing shows that it got it. */
type Unreached = {
  add(outlet: Outlet, told: readonly Told[], parentId: string): void;
  /** Finds out whether all of it has arrived. */
  ask(outlet: Outlet): void;
  /** Returns it, in order. */
  end(): Lost[];
};

type Lost = { told: readonly Told[]; parentId: string };

/** Of more, the oldest is given up. */
const charsMax = 262_144;
const pieceChars = 4_096;
/** A client is asked what it got so many times at once, and then once in so long: that costs as much as a word told. */
const asksMax = 20;
const askEveryMs = 3_000;

type Piece = { told: Told[]; parentId: string; chars: number };

export function createUnreached(clock: Clock): Unreached {
  let kept: Piece[] = [];
  /** Words that follow are added to it: there are many of them, and each is short. */
  let open: Piece | undefined;
  let [first, chars, round] = [0, 0, 0];
  let isAsking = false;
  let [asksLeft, sinceMs] = [asksMax, clock.now()];
  const drop = (count: number) => {
    for (const piece of kept.splice(0, count)) {
      first += 1;
      chars -= piece.chars;
    }
  };
  const ask = (outlet: Outlet) => {
    [open, isAsking] = [undefined, true];
    const [upTo, its] = [first + kept.length, round];
    outlet.onceReached?.(() => {
      if (its !== round) return;
      isAsking = false;
      if (upTo > first) drop(upTo - first);
    });
  };
  const mayAsk = (): boolean => {
    const nowMs = clock.now();
    const more = Math.floor((nowMs - sinceMs) / askEveryMs);
    if (more > 0) [asksLeft, sinceMs] = [Math.min(asksMax, asksLeft + more), nowMs];
    if (asksLeft === 0) return false;
    asksLeft -= 1;
    return true;
  };
  const keep = (told: readonly Told[], parentId: string) => {
    const size = sizeOf(told);
    chars += size;
    if (open?.parentId === parentId && open.chars < pieceChars) {
      addTo(open, told);
      open.chars += size;
      return;
    }
    open = { told: [...told], parentId, chars: size };
    kept.push(open);
    while (chars > charsMax && kept.length > 1) drop(1);
  };
  return {
    ask,
    add(outlet, told, parentId) {
      if (outlet.onceReached === undefined) return;
      keep(told, parentId);
      const isDue = told.some(({ kind }) => kind === "complete" || kind === "prompt");
      if (isDue || (!isAsking && mayAsk())) ask(outlet);
    },
    end() {
      const lost = kept;
      [kept, open, chars, first] = [[], undefined, 0, 0];
      isAsking = false;
      round += 1;
      return lost;
    },
  };
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
