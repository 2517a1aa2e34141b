/** What was put in, in order, for one reader; whoever fills it bounds it. */
export type Queue<Value> = AsyncIterableIterator<Value> & {
  put(value: Value): void;
  end(): void;
};

/** `onLeft`: the reader wants no more. */
export function createQueue<Value>(onLeft: () => void): Queue<Value> {
  const values: Value[] = [];
  let isOver = false;
  let wake = () => {};
  const queue: Queue<Value> = {
    put(value) {
      if (!isOver) values.push(value);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async next() {
      for (;;) {
        const value = values.shift();
        if (value !== undefined) return { done: false, value };
        if (isOver) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      values.length = 0;
      if (!isOver) onLeft();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
}
