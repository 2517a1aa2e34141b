const atOnce = 2;
const minuteMs = 60_000;
const ofOneHostMax = 6;
const inAMinuteMax = 30;

/**
 * Calls that strangers cause: a few at once, a few of one host whatever the port, a few in all. Whatever is more is not
 * made up for: whoever is there is asked again within the hour.
 */
export function createRequests(ask: (serviceUrl: string) => Promise<void>, now: () => number) {
  const waiting: string[] = [];
  const countByHost = new Map<string, number>();
  let count = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let under = 0;
  const takeOne = (host: string) => {
    if (now() - begunAt >= minuteMs) {
      begunAt = now();
      count = 0;
      countByHost.clear();
    }
    const ofHost = countByHost.get(host) ?? 0;
    if (count >= inAMinuteMax || ofHost >= ofOneHostMax || waiting.length >= inAMinuteMax) return false;
    count += 1;
    countByHost.set(host, ofHost + 1);
    return true;
  };
  const work = async () => {
    under += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await ask(next);
    under -= 1;
  };
  /** `ask` never rejects. */
  return (serviceUrl: string): void => {
    if (!URL.canParse(serviceUrl) || waiting.includes(serviceUrl) || !takeOne(new URL(serviceUrl).hostname)) return;
    waiting.push(serviceUrl);
    if (under < atOnce) void work();
  };
}
