type ThrottleOptions = {
  /** What else comes so soon is of the same occasion. */
  afterMs: number;
  /** So long it rests after each run. */
  restMs: number;
};

/** However often it is asked, it runs once in a while, and once more when it was asked meanwhile. */
export function createThrottle(run: () => Promise<void>, { afterMs, restMs }: ThrottleOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isWanted = false;
  const start = async () => {
    timer = undefined;
    isRunning = true;
    isWanted = false;
    await run();
    timer = setTimeout(() => {
      timer = undefined;
      isRunning = false;
      if (isWanted) ask();
    }, restMs);
  };
  const ask = () => {
    if (isRunning) isWanted = true;
    else timer ??= setTimeout(() => void start(), afterMs);
  };
  return { ask, stop: () => clearTimeout(timer) };
}
