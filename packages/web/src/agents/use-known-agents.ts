import { useCallback, useEffect, useState } from "react";
import type { KnownAgent } from "../api/types.ts";
import { useAsyncAction } from "../ui/use-async-action.ts";

export type KnownAgents = {
  /** Undefined until they are loaded. */
  agents: readonly KnownAgent[] | undefined;
  error: string | undefined;
  reload(): void;
};

/** The agents that this floor knows, loaded once. */
export function useKnownAgents(load: () => Promise<readonly KnownAgent[]>): KnownAgents {
  const [agents, setAgents] = useState<readonly KnownAgent[]>();
  const [loadAgents] = useState(() => load);
  const { error, run } = useAsyncAction("caller");
  const reload = useCallback(() => {
    void run(async () => setAgents(await loadAgents()));
  }, [loadAgents, run]);
  useEffect(reload, [reload]);
  return { agents, error, reload };
}
