import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFrozenStore, frozenVersions } from "../../testing/frozen-store.ts";
import { withStoreErrors } from "../errors.ts";
import { newestVersion } from "./migrations/migrate.ts";
import { createSqliteStore } from "./store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-migrated-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a store says from which version it was migrated, once", async () => {
  for (const version of frozenVersions()) {
    const file = join(folder, `${version}.db`);
    createFrozenStore(file, version);
    const first = withStoreErrors(createSqliteStore(file));
    expect(first.migrated).toEqual(version === newestVersion ? undefined : { from: version, to: newestVersion });
    await first.close();
    const second = createSqliteStore(file);
    expect(second.migrated).toBeUndefined();
    await second.close();
  }
});

test("a new store was not migrated", async () => {
  const store = createSqliteStore(join(folder, "new.db"));
  expect(store.migrated).toBeUndefined();
  await store.close();
});
