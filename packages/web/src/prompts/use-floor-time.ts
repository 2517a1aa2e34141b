import { useEffect, useState } from "react";
import { floorClock } from "../api/floor-clock.ts";

/** The server's time, updated every second until the deadline. */
export function useFloorTime(untilMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(floorClock.nowMs);
  const isWaiting = untilMs !== undefined && nowMs < untilMs;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => setNowMs(floorClock.nowMs());
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return nowMs;
}
