/** The conversation id of each thread, made when it is needed. */
export type Threads = {
  idOf(thread: string): string;
  /** The next turn of the thread has another one. */
  forget(thread: string): void;
};

const threadsMax = 100;

export function createThreads(newId: () => string): Threads {
  const ids = new Map<string, string>();
  return {
    idOf(thread) {
      const id = ids.get(thread) ?? newId();
      ids.delete(thread);
      ids.set(thread, id);
      const [oldest] = ids.keys();
      if (ids.size > threadsMax && oldest !== undefined) ids.delete(oldest);
      return id;
    },
    forget: (thread) => void ids.delete(thread),
  };
}
