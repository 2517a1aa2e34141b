import { ShortLivedMap } from "../short-lived-map.ts";

/** A queue per key: one job at a time, in order. Keys do not wait for each other. */
export type DeliveryQueue<Job extends { id: string; key: string }> = {
  /** False when the queue of this key is full. */
  add(job: Job): boolean;
  count(): { running: number; queued: number };
  find(id: string): Job | undefined;
  /** Starts no more jobs. Returns the running ones. */
  close(): Job[];
  /** Resolves when no job is running. */
  ended(): Promise<void>;
};

export function createDeliveryQueue<Job extends { id: string; key: string }>(
  run: (job: Job) => Promise<void>,
  { queueMax }: { queueMax: number },
): DeliveryQueue<Job> {
  /** The first job of each queue is running. */
  const queues = new ShortLivedMap<Job[]>();
  const jobs = new ShortLivedMap<Job>();
  let running = 0;
  let isClosed = false;
  let onIdle = () => {};

  async function drain(key: string, queue: Job[]): Promise<void> {
    for (let job = queue[0]; job !== undefined && !isClosed; job = queue[0]) {
      running += 1;
      try {
        await run(job);
      } finally {
        running -= 1;
        queue.shift();
        jobs.delete(job.id);
      }
    }
    queues.delete(key);
    if (running === 0) onIdle();
  }

  return {
    add(job) {
      const queue = queues.get(job.key);
      if (queue !== undefined && queue.length > queueMax) return false;
      jobs.set(job.id, job);
      if (queue !== undefined) {
        queue.push(job);
        return true;
      }
      const fresh = [job];
      queues.set(job.key, fresh);
      drain(job.key, fresh).catch(reportBug);
      return true;
    },
    count: () => ({ running, queued: jobs.size - running }),
    find: (id) => jobs.get(id),
    close() {
      isClosed = true;
      return [...queues.values()].flatMap((queue) => queue[0] ?? []);
    },
    ended: () =>
      new Promise((resolve) => {
        if (running === 0) resolve();
        else onIdle = resolve;
      }),
  };
}

// `run` handles its own failures; anything else is a bug and ends the process.
function reportBug(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
