import type { CatalogueStore, StoredManifest } from "@plenary/sdk";
import type { Db } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";

/** Manifests that a discovery agent recommends. They share the commits of conversations. */
export function createCatalogueTable(db: Db, groups: GroupCommit): CatalogueStore {
  const all = db.prepare<[], StoredManifest>("SELECT key, known FROM catalogue");
  const keep = db.prepare<[string, string]>(
    "INSERT INTO catalogue (key, known) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET known = excluded.known",
  );
  const forget = db.prepare<[string]>("DELETE FROM catalogue WHERE key = ?");
  return {
    manifests: async () => all.all(),
    async keepManifests({ kept, forgotten }) {
      await groups.join(() => {
        for (const key of forgotten) forget.run(key);
        for (const { key, known } of kept) keep.run(key, known);
      });
    },
  };
}
