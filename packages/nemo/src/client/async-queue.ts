/** A queue for one reader, in order. The writer has to limit its size. */
export type AsyncQueue<Value> = AsyncIterableIterator<Value> & {
  put(value: Value): void;
  end(): void;
};

/** `onLeft`: the reader called `return()`. */
export function createAsyncQueue<Value>(onLeft: () => void): AsyncQueue<Value> {
  const values: Value[] = [];
  let isOver = false;
  let wake = () => {};
  const queue: AsyncQueue<Value> = {
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
