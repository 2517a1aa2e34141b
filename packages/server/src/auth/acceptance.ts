import assert from "node:assert/strict";
import { type Credential, type CredentialStore, newCredentialToken } from "../ports/credentials.ts";

/** One required behaviour of a credential store, independent of a test runner. */
type AcceptanceCase = { name: string; run: (store: CredentialStore) => Promise<void> };

const [before, now, later] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];
const bot = "https://bot.example/floor";

export function credential(more: Partial<Credential> = {}): Credential {
  const { id, hash } = newCredentialToken("key");
  const bound = { speakers: ["tag:ann.example,2026:ann"], scopes: [], isPerson: false };
  return { id, kind: "key", hash, ...bound, createdAt: before, ...more };
}

const lifeCases: readonly AcceptanceCase[] = [
  {
    name: "an added credential is found unchanged, as plain data",
    async run(store) {
      const plain = credential();
      const full = credential({
        kind: "guest",
        isPerson: true,
        scopes: ["host"],
        speakers: ["tag:a", "tag:b"],
        conversation: "c",
        label: "Ann's",
        parent: plain.id,
        usesLeft: 3,
        expiresAt: later,
        revokedAt: now,
      });
      for (const one of [plain, full]) await store.add(one);
      assert.deepEqual(await store.find(plain.id), plain);
      assert.deepEqual(await store.find(full.id), full);
      assert.equal(await store.find("unknown"), undefined);
    },
  },
  {
    name: "adding an id twice is rejected",
    async run(store) {
      const one = credential({ label: "first" });
      await store.add(one);
      await assert.rejects(async () => store.add({ ...one, label: "second" }));
      assert.equal((await store.find(one.id))?.label, "first");
    },
  },
  {
    name: "concurrent uses never exceed the uses left",
    async run(store) {
      const link = credential({ kind: "link", usesLeft: 3 });
      await store.add(link);
      const uses = await Promise.all(Array.from({ length: 20 }, () => store.use(link.id, now)));
      assert.equal(uses.filter((isUsed) => isUsed).length, 3);
      assert.equal((await store.find(link.id))?.usesLeft, 0);
    },
  },
  {
    name: "a credential without a count can be used any number of times, an ended one cannot be used",
    async run(store) {
      const [free, expired, revoked] = [
        credential(),
        credential({ expiresAt: now, usesLeft: 1 }),
        credential({ revokedAt: before, usesLeft: 1 }),
      ];
      for (const one of [free, expired, revoked]) await store.add(one);
      assert.deepEqual([await store.use(free.id, now), await store.use(free.id, now)], [true, true]);
      assert.deepEqual([await store.use(expired.id, now), await store.use(revoked.id, now)], [false, false]);
      assert.equal(await store.use("unknown", now), false);
      assert.equal((await store.find(expired.id))?.usesLeft, 1);
    },
  },
  {
    name: "giving back a use restores the count, and changes nothing without a count",
    async run(store) {
      const [link, free] = [credential({ kind: "link", usesLeft: 1 }), credential()];
      for (const one of [link, free]) await store.add(one);
      assert.equal(await store.use(link.id, now), true);
      await store.giveBack(link.id);
      await store.giveBack(free.id);
      await store.giveBack("unknown");
      assert.deepEqual([await store.find(link.id), await store.find(free.id)], [link, free]);
    },
  },
  {
    name: "revoking a link revokes its guests, even if the link is used up, and no other credential",
    async run(store) {
      const link = credential({ kind: "link", usesLeft: 0 });
      const guest = credential({ kind: "guest", parent: link.id });
      const gone = credential({ kind: "guest", parent: link.id, revokedAt: before });
      const other = credential({ kind: "guest", parent: "another" });
      for (const one of [link, guest, gone, other]) await store.add(one);
      assert.equal(await store.revoke(link.id, now), true);
      const ends = await Promise.all([link, guest, gone, other].map(({ id }) => store.find(id)));
      assert.deepEqual(
        ends.map((one) => one?.revokedAt),
        [now, now, before, undefined],
      );
      assert.equal(await store.revoke(link.id, later), false);
      assert.equal((await store.find(link.id))?.revokedAt, now);
    },
  },
  {
    name: "an expired or unknown credential cannot be revoked",
    async run(store) {
      const expired = credential({ expiresAt: now });
      await store.add(expired);
      assert.equal(await store.revoke(expired.id, now), false);
      assert.equal(await store.revoke("unknown", now), false);
    },
  },
];

const personCases: readonly AcceptanceCase[] = [
  {
    name: "a live key, session, page or guest token of a person identifies the person, in any spelling of the URI",
    async run(store) {
      const kinds = ["key", "session", "page", "guest"] as const;
      for (const kind of kinds)
        await store.add(credential({ kind, isPerson: true, speakers: ["tag:x", `tag:${kind}É`] }));
      for (const kind of kinds) {
        for (const name of [`tag:${kind}É`, `TAG:${kind}é/`]) assert.equal(await store.isPerson(name, now), true);
      }
      assert.equal(await store.isPerson("tag:unknown", now), false);
    },
  },
  {
    name: "agents, links and ended credentials identify no person",
    async run(store) {
      await store.add(credential({ speakers: ["tag:agent"] }));
      await store.add(credential({ kind: "link", isPerson: true, speakers: ["tag:link"] }));
      await store.add(credential({ isPerson: true, speakers: ["tag:revoked"], revokedAt: before }));
      await store.add(credential({ isPerson: true, speakers: ["tag:expired"], expiresAt: now }));
      for (const name of ["tag:agent", "tag:link", "tag:revoked", "tag:expired"]) {
        assert.equal(await store.isPerson(name, now), false);
      }
    },
  },
];

const listCases: readonly AcceptanceCase[] = [
  {
    name: "credentials are listed by id, in pages, by kind and by conversation",
    async run(store) {
      await store.add(credential({ id: "b", kind: "link", conversation: "c" }));
      await store.add(credential({ id: "c", kind: "guest", conversation: "c" }));
      await store.add(credential({ id: "a", revokedAt: now }));
      const ids = async (query: Parameters<CredentialStore["list"]>[0]) =>
        (await store.list(query)).map(({ id }) => id).join();
      assert.equal(await ids({ limit: 2 }), "a,b");
      assert.equal(await ids({ limit: 2, after: "b" }), "c");
      assert.equal(await ids({ limit: 9, kinds: ["key", "link"] }), "a,b");
      assert.equal(await ids({ limit: 9, kinds: [] }), "");
      assert.equal(await ids({ limit: 9, conversation: "c" }), "b,c");
      assert.equal(await ids({ limit: 9, conversation: "c", kinds: ["guest"] }), "c");
    },
  },
  {
    name: "a sweep deletes credentials and secrets that ended before a time, and keeps the rest",
    async run(store) {
      const kept = [credential(), credential({ expiresAt: now }), credential({ kind: "link", usesLeft: 0 })];
      const ended = [credential({ expiresAt: before }), credential({ revokedAt: before, expiresAt: later })];
      for (const one of [...kept, ...ended]) await store.add(one);
      await store.addSecret({ id: "s1", serviceUrl: bot, secret: "one", createdAt: before });
      await store.addSecret({ id: "s2", serviceUrl: bot, secret: "two", createdAt: before });
      await store.revokeSecret("s1", before);
      await store.sweepCredentials(now);
      const left = (await store.list({ limit: 9 })).map(({ id }) => id);
      assert.deepEqual(left, kept.map(({ id }) => id).sort());
      assert.deepEqual(
        (await store.listSecrets()).map(({ id }) => id),
        ["s2"],
      );
    },
  },
];

const secretCases: readonly AcceptanceCase[] = [
  {
    name: "the newest two live secrets of an address are returned, newest first, in any spelling of the address",
    async run(store) {
      await store.addSecret({ id: "s2", serviceUrl: `${bot}/`, secret: "two", createdAt: now });
      await store.addSecret({ id: "s1", serviceUrl: bot, secret: "one", createdAt: before });
      await store.addSecret({ id: "s3", serviceUrl: "https://BOT.example:443/floor", secret: "three", createdAt: now });
      await store.addSecret({ id: "s4", serviceUrl: `${bot}/elsewhere`, secret: "four", createdAt: now });
      assert.deepEqual(await store.secretsFor(bot), ["three", "two"]);
      assert.equal(await store.revokeSecret("s3", now), true);
      assert.equal(await store.revokeSecret("s3", now), false);
      assert.equal(await store.revokeSecret("unknown", now), false);
      assert.deepEqual(await store.secretsFor(`${bot}/`), ["two", "one"]);
      assert.deepEqual(await store.secretsFor("https://other.example/"), []);
    },
  },
  {
    name: "secrets are listed in the order they were added, including revoked ones",
    async run(store) {
      await store.addSecret({ id: "s2", serviceUrl: bot, secret: "two", createdAt: now });
      await store.addSecret({ id: "s1", serviceUrl: bot, secret: "one", createdAt: now });
      await store.revokeSecret("s2", later);
      assert.deepEqual(await store.listSecrets(), [
        { id: "s2", serviceUrl: bot, secret: "two", createdAt: now, revokedAt: later },
        { id: "s1", serviceUrl: bot, secret: "one", createdAt: now },
      ]);
    },
  },
];

/** The required behaviour of every credential store. */
export const credentialAcceptance: readonly AcceptanceCase[] = [
  ...lifeCases,
  ...personCases,
  ...listCases,
  ...secretCases,
];
