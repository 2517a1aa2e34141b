import type { AgentStore } from "../../ports/store.ts";
import type { Db } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";

/** The table of known agents. It shares the commits of conversations, so a write costs no disk sync of its own. */
export function createAgentTable(db: Db, groups: GroupCommit): AgentStore {
  const all = db.prepare<[], { serviceUrl: string; known: string }>("SELECT url AS serviceUrl, known FROM known_agent");
  const keep = db.prepare<[string, string]>(
    "INSERT INTO known_agent (url, known) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET known = excluded.known",
  );
  const forget = db.prepare<[string]>("DELETE FROM known_agent WHERE url = ?");
  return {
    agents: async () => all.all(),
    async keepAgents({ kept, forgotten }) {
      await groups.join(() => {
        for (const serviceUrl of forgotten) forget.run(serviceUrl);
        for (const { serviceUrl, known } of kept) keep.run(serviceUrl, known);
      });
    },
  };
}
