import { useEffect, useState } from "react";
import { usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";

/** The rest of a time limit, in the largest unit that is precise enough. */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  if (seconds < 120) return texts.prompts.secondsLeft(seconds);
  if (seconds < 7200) return texts.prompts.minutesLeft(Math.round(seconds / 60));
  return texts.prompts.hoursLeft(Math.round(seconds / 3600));
}

/** The server's time, updated every second until the deadline. */
export function useFloorTime(untilMs: number | undefined): number {
  const { floorNowMs } = usePageServices();
  const [nowMs, setNowMs] = useState(floorNowMs);
  const isWaiting = untilMs !== undefined && nowMs < untilMs;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => setNowMs(floorNowMs());
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [isWaiting, floorNowMs]);
  return nowMs;
}
