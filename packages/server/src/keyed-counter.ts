/** Counts by key. A key whose count is zero is not kept. */
export type Counts = {
  of(key: string): number;
  all(): number;
  /** Adds one. Returns the function that subtracts it; further calls do nothing. */
  add(key: string): () => void;
};

export function createCounts(): Counts {
  const counts = new Map<string, number>();
  let all = 0;
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    of,
    all: () => all,
    add(key) {
      all += 1;
      counts.set(key, of(key) + 1);
      let isCounted = true;
      return () => {
        if (!isCounted) return;
        isCounted = false;
        all -= 1;
        const left = of(key) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}
