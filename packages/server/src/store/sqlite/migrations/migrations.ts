import { originalTables } from "./0001-original-tables.ts";
import { laterTables } from "./0002-later-tables.ts";
import { rowBacklog } from "./0003-row-backlog.ts";
import type { Migration } from "./migration.ts";

/**
 * All migrations, in order. A new file runs all of them, an older one those that it lacks.
 *
 * A migration adds tables, indexes, and columns that are nullable or have a default. It renames, removes and retypes no
 * table and no column, so that a copy of the file can still be read with earlier tools; it may drop an index that a new
 * table replaces. Reading never needs an older release, because each migration also brings the rows that exist to the new
 * form.
 *
 * A released migration is never edited: `fixtures/version-N.sql` is what it left in files that exist.
 */
export const migrations: readonly Migration[] = [originalTables, laterTables, rowBacklog];
