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
  const queues = new Map<string, Job[]>();
  const jobs = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  async function drain(key: string, queue: Job[]): Promise<void> {
    for (let job = queue.shift(); job !== undefined && !isClosed; job = queue.shift()) {
      const ended = run(job);
      running.set(job.id, ended);
      try {
        await ended;
      } finally {
        running.delete(job.id);
        jobs.delete(job.id);
      }
    }
    queues.delete(key);
  }

  return {
    add(job) {
      const queue = queues.get(job.key);
      if ((queue?.length ?? 0) >= queueMax) return false;
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
    count: () => ({ running: running.size, queued: jobs.size - running.size }),
    find: (id) => jobs.get(id),
    close() {
      isClosed = true;
      return [...running.keys()].flatMap((id) => jobs.get(id) ?? []);
    },
    async ended() {
      await Promise.allSettled(running.values());
    },
  };
}

// `run` handles its own failures; anything else is a bug and ends the process.
function reportBug(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
