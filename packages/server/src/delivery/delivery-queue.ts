/** A queue per key: one job at a time, in order. Keys do not wait for each other. */
export type Lanes<Job extends { id: string; key: string }> = {
  /** False when too much waits there already. */
  add(job: Job): boolean;
  count(): { running: number; queued: number };
  find(id: string): Job | undefined;
  /** What waits is not begun any more. Returns what is running. */
  close(): Job[];
  /** Resolves when nothing runs any longer. */
  ended(): Promise<void>;
};

export function createLanes<Job extends { id: string; key: string }>(
  run: (job: Job) => Promise<void>,
  { queueMax }: { queueMax: number },
): Lanes<Job> {
  const lanes = new Map<string, Job[]>();
  const jobs = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  async function drain(key: string, lane: Job[]): Promise<void> {
    for (let job = lane.shift(); job !== undefined && !isClosed; job = lane.shift()) {
      const ended = run(job);
      running.set(job.id, ended);
      try {
        await ended;
      } finally {
        running.delete(job.id);
        jobs.delete(job.id);
      }
    }
    lanes.delete(key);
  }

  return {
    add(job) {
      const lane = lanes.get(job.key);
      if ((lane?.length ?? 0) >= queueMax) return false;
      jobs.set(job.id, job);
      if (lane !== undefined) {
        lane.push(job);
        return true;
      }
      const fresh = [job];
      lanes.set(job.key, fresh);
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
