import { useEffect, useState } from "react";
import { errorText } from "../api/client.ts";
import type { DiscoveryResult } from "../api/types.ts";

/** `wanted` is the text that was searched. */
export type DiscoveryState =
  | { state: "idle" }
  | { state: "looking" }
  | { state: "found"; wanted: string; discovered: DiscoveryResult }
  | { state: "failed"; problem: string };

/** Typing pause before a search starts. */
const restMs = 400;
const lettersMin = 3;

/** Searches when typing pauses. Answers to an outdated text are dropped. */
export function useDiscovery(typed: string, discover: (text: string) => Promise<DiscoveryResult>): DiscoveryState {
  const [search, setSearch] = useState<DiscoveryState>({ state: "idle" });
  const wanted = typed.trim();
  useEffect(() => {
    if (wanted.length < lettersMin) {
      setSearch({ state: "idle" });
      return undefined;
    }
    let isWanted = true;
    setSearch({ state: "looking" });
    const timer = setTimeout(() => {
      discover(wanted).then(
        (discovered) => isWanted && setSearch({ state: "found", wanted, discovered }),
        (problem: unknown) => isWanted && setSearch({ state: "failed", problem: errorText(problem) }),
      );
    }, restMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted, discover]);
  return search;
}
