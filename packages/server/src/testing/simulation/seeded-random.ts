/** The only source of randomness in a run, so a seed determines the whole run. */
export type SeededRandom = {
  /** From 0 to less than 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
  isTrue(probability: number): boolean;
  /** An independent sequence: numbers drawn from it do not shift this one. */
  fork(name: string): SeededRandom;
};

export function createRandom(seed: string): SeededRandom {
  let state = hash(seed);
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(list) {
      const [first] = list;
      if (first === undefined) throw new Error("nothing to pick from");
      return list[Math.floor(next() * list.length)] ?? first;
    },
    isTrue: (probability) => next() < probability,
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
