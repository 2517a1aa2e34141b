import type { Saying } from "../wire/envelopes.ts";
import { tabShelf } from "../wire/keeping.ts";
import type { Unsent } from "./types.ts";

export type Kept = Saying & Pick<Unsent, "state" | "problem">;

/** What was said and is not in the log yet, in its order; a reload of this tab does not forget it. */
export function createKeptSayings(key: string, onChange: () => void) {
  let kept: readonly Kept[] = read(key);
  const change = (next: readonly Kept[]) => {
    kept = next;
    tabShelf.put(key, kept.length === 0 ? undefined : kept);
    onChange();
  };
  const find = (id: string) => kept.find((one) => one.id === id);
  const isTaken = (id: string) => find(id)?.state === "taken";
  const put = (id: string, facts: Partial<Kept>) =>
    change(kept.map((one) => (one.id === id ? { ...one, ...facts } : one)));
  return {
    ...{ find, isTaken, put },
    all: () => kept,
    next: () => kept.find(isDue),
    add: (saying: Kept) => change([...kept, saying]),
    /** The floor had taken it, and it is not heard. */
    fail: (id: string, problem: string) => {
      if (isTaken(id)) put(id, { state: "refused", problem });
    },
    discard: (id: string) => {
      if (find(id) !== undefined) change(kept.filter((one) => one.id !== id));
    },
  };
}

function read(key: string): readonly Kept[] {
  const found = tabShelf.read(key);
  return Array.isArray(found) ? found.filter(isDue) : [];
}

const isDue = (one?: Kept) => one?.state === "sending" || one?.state === "waiting";
