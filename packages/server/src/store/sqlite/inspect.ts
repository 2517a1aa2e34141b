import { addressOf, type Credential } from "../../ports/credentials.ts";
import { type Db, openReader, openWriter } from "./database.ts";
import { addMissingTables, newestVersion, versionOf } from "./migrations/migrate.ts";
import { located } from "./reader.ts";

/** Facts about a store, read without changing it, for `plenary doctor`. */
export type SqliteInspection = {
  /** 0: no floor has opened the file for writing yet. */
  version: number;
  /** The version that the next opening for writing migrates the file to. */
  newestVersion: number;
  journalMode: string;
  /** The setting of a floor's writer: 0 off, 1 normal, 2 full, 3 extra. */
  synchronous: number;
  keys: readonly InspectedKey[];
  /** Addresses of agents without a live signing secret. */
  unsigned: readonly string[];
  /** Open conversations whose policy is `spec` (D13). */
  unguarded: number;
};

export type InspectedKey = Pick<Credential, "id" | "createdAt" | "expiresAt" | "revokedAt"> & { speakers: number };

/** Read-only; a floor may run on the file at the same time. */
export function inspectSqlite(file: string): SqliteInspection {
  const db = openReader(file);
  try {
    const version = versionOf(db);
    // `plenary keys` of earlier releases created a file with credentials only.
    if (version === 0) addMissingTables(db);
    return {
      version,
      newestVersion,
      journalMode: String(db.pragma("journal_mode", { simple: true })),
      synchronous: synchronousOfWriter(),
      keys: keysIn(db),
      unsigned: unsignedIn(db),
      unguarded: unguardedIn(db),
    };
  } finally {
    db.close();
  }
}

/** `synchronous` is a setting of the connection, not of the file: read from a writer on an empty database. */
function synchronousOfWriter(): number {
  const db = openWriter(":memory:");
  try {
    return Number(db.pragma("synchronous", { simple: true }));
  } finally {
    db.close();
  }
}

type KeyRow = { id: string; speakers: number; created: string; expires: string | null; revoked: string | null };

function keysIn(db: Db): InspectedKey[] {
  const rows = db.prepare<[], KeyRow>(
    `SELECT id, json_array_length(speakers) AS speakers, created, expires, revoked FROM credential
     WHERE kind = 'key' ORDER BY created, id`,
  );
  return rows.all().map(({ id, speakers, created, expires, revoked }) => ({
    id,
    speakers,
    createdAt: created,
    ...(expires !== null && { expiresAt: expires }),
    ...(revoked !== null && { revokedAt: revoked }),
  }));
}

function unsignedIn(db: Db): string[] {
  const signed = new Set(signedIn(db));
  const joined = db.prepare<[], string>("SELECT DISTINCT url FROM binding ORDER BY url").pluck().all() as string[];
  return joined.filter((url) => !signed.has(addressOf(url)));
}

function signedIn(db: Db): string[] {
  return db.prepare<[], string>("SELECT address FROM signing_secret WHERE revoked IS NULL").pluck().all() as string[];
}

function unguardedIn(db: Db): number {
  const count = db.prepare<[], number>(
    `SELECT count(*) FROM conversation c JOIN (${located}) p ON p.conversation = c.no AND p.first = 1
       JOIN log l ON l.pos = p.pos
     WHERE c.closed = 0 AND json_extract(l.entries, '$[0].options.policy') = 'spec'`,
  );
  return Number(count.pluck().get());
}
