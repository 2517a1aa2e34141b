import { useEffect, useState } from "react";
import { errorText } from "../api/client.ts";
import type { DiscoveryResult } from "../api/types.ts";

/** `wanted` is what was looked for. */
export type DiscoveryState =
  | { state: "idle" }
  | { state: "looking" }
  | { state: "found"; wanted: string; discovered: DiscoveryResult }
  | { state: "failed"; problem: string };

/** So long somebody who types may pause before everybody is asked. */
const restMs = 400;
const lettersMin = 3;

/** Asks once somebody has stopped typing. An answer to what is not wanted any more is not heard. */
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
