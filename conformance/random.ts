/** Random numbers that are the same for the same seed. */
export type Random = {
  /** A whole number from 0 up to, not including, `limit`. */
  below: (limit: number) => number;
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
};

/** Xorshift of 32 bits. The seed is scrambled first, so that neighbouring seeds give independent runs. */
export function createRandom(seed: number): Random {
  let state = scrambled(seed) || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}

function scrambled(seed: number): number {
  let bits = (seed + 0x9e3779b9) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
