import { FloorProblem, isTemporary } from "./problem.ts";

export type Limits = {
  /** A connection may be dead without a sign, so every request has a timeout. */
  requestMs: number;
  /** Searching and checking agents, and exports. */
  longRequestMs: number;
  answerBytesMax: number;
  /** First and longest pause before a repetition. */
  retryMs: number;
  retryMaxMs: number;
  /** How long a command or invite is repeated while the floor is away; utterances are repeated without end. */
  persistMs: number;
  /** An event stream without a byte for so long is dead: the floor writes every 15 s. */
  streamSilenceMs: number;
  /** A socket without a frame for so long is compared with the log: pings are not visible to a client. */
  socketSilenceMs: number;
  /** Frames of a socket that wait for a slow reader; with more the socket is closed, and opened again later. */
  framesMax: number;
  /** How often the live model reads the view: presence is not in the log. */
  viewMs: number;
};

export const defaultLimits: Limits = {
  requestMs: 20_000,
  longRequestMs: 90_000,
  answerBytesMax: 64 * 1_048_576,
  retryMs: 250,
  retryMaxMs: 10_000,
  persistMs: 60_000,
  streamSilenceMs: 45_000,
  socketSilenceMs: 30_000,
  framesMax: 1_000,
  viewMs: 15_000,
};

type Persistence = {
  limits: Limits;
  signal?: AbortSignal | undefined;
  forMs?: number;
  /** Called with each failure, also with those that are repeated. */
  onFailure?: (error: unknown) => void;
};

/** Repeats a request while its failures are temporary, with growing random pauses. */
export async function persist<T>(
  run: () => Promise<T>,
  { limits, signal, forMs = limits.persistMs, onFailure }: Persistence,
) {
  const endMs = Date.now() + forMs;
  for (let failures = 0; ; failures += 1) {
    try {
      return await run();
    } catch (error) {
      onFailure?.(error);
      const pauseMs = pauseAfter(error, failures, limits);
      if (!isTemporary(error) || Date.now() + pauseMs > endMs) throw error;
      await createPause().wait(pauseMs, signal);
    }
  }
}

/** Random, so that clients that were cut off together do not return together. */
export function pauseAfter(error: unknown, failures: number, { retryMs, retryMaxMs }: Limits): number {
  const pauseMs = Math.min(retryMs * 2 ** failures, retryMaxMs) * (0.5 + Math.random() / 2);
  const askedMs = error instanceof FloorProblem ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(pauseMs, Math.min(askedMs, 60_000));
}

/** A pause that can be ended early. Rejects when the signal is aborted. */
export function createPause() {
  let wake = () => {};
  return {
    wake: () => wake(),
    wait: (ms: number, ...signals: (AbortSignal | undefined)[]) =>
      new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer);
          for (const signal of signals) signal?.removeEventListener("abort", abort);
          settle();
        };
        const abort = () => end(() => reject(signals.find((signal) => signal?.aborted)?.reason));
        const timer = setTimeout(() => end(resolve), ms);
        wake = () => end(resolve);
        for (const signal of signals) signal?.addEventListener("abort", abort);
        if (signals.some((signal) => signal?.aborted)) abort();
      }),
  };
}
