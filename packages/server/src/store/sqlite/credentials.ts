import { setImmediate as endOfTurn, setTimeout as wait } from "node:timers/promises";
import { foldUri } from "@plenary/protocol";
import Database from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import {
  addressOf,
  type Credential,
  type CredentialQuery,
  type CredentialStore,
  type SigningSecret,
} from "../../ports/credentials.ts";
import { type Db, durability, makeStore } from "./database.ts";
import { migrate } from "./migrations/migrate.ts";

type CredentialRow = {
  id: string;
  kind: Credential["kind"];
  hash: string;
  speakers: string;
  scopes: string;
  person: number;
  conversation: string | null;
  label: string | null;
  parent: string | null;
  uses_left: number | null;
  created: string;
  expires: string | null;
  revoked: string | null;
};

type SecretRow = { id: string; address: string; secret: string; created: string; revoked: string | null };

/**
 * Opens its own connection to the file of a store, which may be in use: a running floor sees the changes of
 * `plenary keys` at once.
 */
export function createSqliteCredentials(file: string): CredentialStore & { close(): Promise<void> } {
  const db = open(file);
  const sql = prepare(db);
  return {
    ...credentialsIn(db, sql),
    ...secretsIn(sql),
    sweepCredentials: (before) =>
      attempt(() => {
        // Closed while it waited for the file: the next start sweeps.
        if (!db.open) return;
        sql.forget.run({ before });
        sql.forgetSecrets.run({ before });
      }),
    async close() {
      db.close();
    },
  };
}

function open(file: string): Db {
  const db = new Database(makeStore(file), { timeout: waitMaxMs });
  try {
    for (const pragma of durability) db.pragma(pragma);
    // Signing secrets are stored in plain text: deleted ones are overwritten.
    db.pragma("secure_delete = ON");
    migrate(db);
    db.pragma("busy_timeout = 0");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const waitMaxMs = 5_000;
const pauseMs = 10;

/** Retries while the file is locked, without blocking the event loop: this process may itself hold the lock. */
async function attempt<Result>(run: () => Result): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return run();
    } catch (cause) {
      const code = codeOf(cause);
      if (!code.startsWith("SQLITE_BUSY") || tries >= waitMaxMs / pauseMs) {
        throw new StoreError("store-failed", `the store has failed (${code})`, { retryable: true, cause });
      }
    }
    if (tries === 0) await endOfTurn();
    else await wait(pauseMs);
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
}

type Sql = ReturnType<typeof prepare>;

const isOpen = "revoked IS NULL AND (expires IS NULL OR expires > :now)";

function prepare(db: Db) {
  db.function("fold_uri", (uri) => foldUri(String(uri)));
  return {
    find: db.prepare<{ id: string }, CredentialRow>("SELECT * FROM credential WHERE id = :id"),
    add: db.prepare<CredentialRow>(
      `INSERT INTO credential VALUES (:id, :kind, :hash, :speakers, :scopes, :person, :conversation, :label, :parent,
       :uses_left, :created, :expires, :revoked)`,
    ),
    use: db.prepare<{ id: string; now: string }>(
      `UPDATE credential SET uses_left = uses_left - 1
       WHERE id = :id AND ${isOpen} AND (uses_left IS NULL OR uses_left > 0)`,
    ),
    giveBack: db.prepare<{ id: string }>("UPDATE credential SET uses_left = uses_left + 1 WHERE id = :id"),
    revoke: db.prepare<{ id: string; now: string }>(
      `UPDATE credential SET revoked = :now WHERE id = :id AND ${isOpen}`,
    ),
    revokeChildren: db.prepare<{ id: string; now: string }>(
      "UPDATE credential SET revoked = :now WHERE parent = :id AND revoked IS NULL",
    ),
    list: db.prepare<
      { kinds: string | null; conversation: string | null; after: string; limit: number },
      CredentialRow
    >(
      `SELECT * FROM credential WHERE id > :after
       AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
       AND (:conversation IS NULL OR conversation = :conversation) ORDER BY id LIMIT :limit`,
    ),
    person: db.prepare<{ name: string; now: string }>(
      `SELECT 1 FROM credential c, json_each(c.speakers) s
       WHERE c.person = 1 AND c.kind <> 'link' AND ${isOpen} AND fold_uri(s.value) = :name LIMIT 1`,
    ),
    forget: db.prepare<{ before: string }>("DELETE FROM credential WHERE revoked < :before OR expires < :before"),
    addSecret: db.prepare<SecretRow>(
      `INSERT INTO signing_secret (id, address, secret, created, revoked)
       VALUES (:id, :address, :secret, :created, :revoked)`,
    ),
    revokeSecret: db.prepare<{ id: string; now: string }>(
      "UPDATE signing_secret SET revoked = :now WHERE id = :id AND revoked IS NULL",
    ),
    secretsFor: db
      .prepare<{ address: string }, string>(
        `SELECT secret FROM signing_secret WHERE address = :address AND revoked IS NULL
         ORDER BY created DESC, no DESC LIMIT 2`,
      )
      .pluck() as Database.Statement<{ address: string }, string>,
    listSecrets: db.prepare<[], SecretRow>("SELECT * FROM signing_secret ORDER BY no"),
    forgetSecrets: db.prepare<{ before: string }>("DELETE FROM signing_secret WHERE revoked < :before"),
  };
}

function credentialsIn(db: Db, sql: Sql) {
  const revoke = db.transaction((key: { id: string; now: string }) => {
    if (sql.revoke.run(key).changes === 0) return false;
    sql.revokeChildren.run(key);
    return true;
  });
  return {
    find: (id) =>
      attempt(() => {
        const row = sql.find.get({ id });
        return row === undefined ? undefined : credentialOf(row);
      }),
    add: (credential) => attempt(() => void sql.add.run(rowOf(credential))),
    use: (id, now) => attempt(() => sql.use.run({ id, now }).changes === 1),
    giveBack: (id) => attempt(() => void sql.giveBack.run({ id })),
    revoke: (id, now) => attempt(() => revoke.immediate({ id, now })),
    isPerson: (speakerUri, now) => attempt(() => sql.person.get({ name: foldUri(speakerUri), now }) !== undefined),
    list: (query) => attempt(() => sql.list.all(parametersOf(query)).map(credentialOf)),
  } satisfies Partial<CredentialStore>;
}

function secretsIn(sql: Sql) {
  return {
    addSecret: ({ id, serviceUrl, secret, createdAt, revokedAt }: SigningSecret) => {
      const row = { id, address: addressOf(serviceUrl), secret, created: createdAt, revoked: revokedAt ?? null };
      return attempt(() => void sql.addSecret.run(row));
    },
    revokeSecret: (id, now) => attempt(() => sql.revokeSecret.run({ id, now }).changes === 1),
    secretsFor: (serviceUrl) => attempt(() => sql.secretsFor.all({ address: addressOf(serviceUrl) })),
    listSecrets: () => attempt(() => sql.listSecrets.all().map(secretOf)),
  } satisfies Partial<CredentialStore>;
}

function parametersOf({ kinds, conversation, after = "", limit }: CredentialQuery) {
  return { kinds: kinds ? JSON.stringify(kinds) : null, conversation: conversation ?? null, after, limit };
}

function rowOf(credential: Credential): CredentialRow {
  const { id, kind, hash, speakers, scopes, isPerson, createdAt } = credential;
  const { conversation = null, label = null, parent = null, usesLeft = null } = credential;
  const { expiresAt = null, revokedAt = null } = credential;
  return {
    id,
    kind,
    hash,
    conversation,
    label,
    parent,
    speakers: JSON.stringify(speakers),
    scopes: JSON.stringify(scopes),
    person: isPerson ? 1 : 0,
    uses_left: usesLeft,
    created: createdAt,
    expires: expiresAt,
    revoked: revokedAt,
  };
}

function credentialOf(row: CredentialRow): Credential {
  const { id, kind, hash, speakers, scopes, person, conversation, label, parent, created } = row;
  return {
    id,
    kind,
    hash,
    speakers: JSON.parse(speakers),
    scopes: JSON.parse(scopes),
    isPerson: person === 1,
    createdAt: created,
    ...(conversation !== null && { conversation }),
    ...(label !== null && { label }),
    ...(parent !== null && { parent }),
    ...(row.uses_left !== null && { usesLeft: row.uses_left }),
    ...(row.expires !== null && { expiresAt: row.expires }),
    ...(row.revoked !== null && { revokedAt: row.revoked }),
  };
}

function secretOf({ id, address, secret, created, revoked }: SecretRow): SigningSecret {
  return { id, serviceUrl: address, secret, createdAt: created, ...(revoked !== null && { revokedAt: revoked }) };
}
