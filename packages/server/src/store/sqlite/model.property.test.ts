// Random work on the SQLite store gives the same answers as on the store in memory, also after failures and crashes.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Decision, decide, type Floor } from "@plenary/floor";
import { envelope, textUtterance } from "@plenary/protocol";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import {
  ann,
  bot,
  changeOf,
  envelopeDecision,
  now,
  openDecision,
  seatDecision,
  utterance,
} from "../acceptance/fixture.ts";
import { createMemoryStore } from "../memory.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-model-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const conversations = ["a", "b", "c", "d"];

type Act =
  | { kind: "say" | "answer" | "bury" | "erase" | "settleBare"; of: number; pick: number; isBroken: boolean }
  | { kind: "end" | "redeliver"; of: number; pick: number }
  | { kind: "flush" | "failCommit" | "crash" | "reopen" };

const place = { of: fc.nat(conversations.length - 1), pick: fc.nat(9) };
const isBroken = fc.nat(7).map((roll) => roll === 0);
const acts = fc.array<Act>(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant("say" as const), ...place, isBroken }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("answer" as const), ...place, isBroken }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom("bury" as const, "settleBare" as const), ...place, isBroken }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), ...place, isBroken }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("end" as const, "redeliver" as const), ...place }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("flush" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("failCommit" as const, "crash" as const, "reopen" as const) }),
    },
  ),
  { maxLength: 80 },
);

const names = (floors: readonly (Floor | undefined)[]) =>
  floors.map((floor) => Array.from({ length: floor?.seq ?? 0 }, (_, seq) => `${floor?.id}-${seq}`));

/** Everything that can be asked, in an order that does not depend on the store. */
async function answersOf(store: FloorStore) {
  const floors = await Promise.all(conversations.map((id) => store.log.load(id)));
  const { deliveries, timers } = await store.outbox.pending();
  const asked = names(floors).map((ids) =>
    ids.flatMap((dialogEventId) => [ann, bot.speakerUri].map((sender) => ({ sender, dialogEventId }))),
  );
  const byDelivery = <One extends { conversationId: string; effect: { delivery: string } }>(list: readonly One[]) =>
    Object.fromEntries(list.map((one) => [`${one.conversationId} ${one.effect.delivery}`, one]));
  return {
    floors,
    entries: await Promise.all(conversations.map((id) => store.log.entries(id, { after: 0, limit: 10_000 }))),
    deliveries: byDelivery(deliveries),
    timers: Object.fromEntries(timers.map(({ timer, ...rest }) => [timer.id, { ...timer, ...rest }])),
    dead: byDelivery(await store.outbox.deadLetters({ limit: 1_000 })),
    seen: await Promise.all(
      conversations.map(async (id, at) =>
        (await store.lookups.seen(id, asked[at] ?? [])).map((known) => [...known].sort()),
      ),
    ),
    requests: await Promise.all(
      names(floors)
        .flat()
        .map(async (key) => {
          const { conversationId, hash, first, last } = (await store.lookups.request({ caller: "ann", key })) ?? {};
          return [conversationId, hash, first, last];
        }),
    ),
    list: await store.log.list({ limit: 100 }),
  };
}

type Attempt = { change: Change; expectedSeq: number; outcome: Promise<PromiseSettledResult<string>> };

class Trial {
  readonly file: string;
  readonly model = createMemoryStore();
  store: FloorStore;
  #commit = () => {};
  #attempts: (Attempt | (() => Promise<void>))[] = [];

  constructor(count: number) {
    this.file = join(folder, `trial-${count}.db`);
    this.store = this.#open();
  }

  #open(): FloorStore {
    const soon = (run: () => void) => {
      this.#commit = run;
    };
    return createSqliteStore(this.file, { soon, cachedMax: 2 });
  }

  async run(act: Act): Promise<void> {
    switch (act.kind) {
      case "flush":
        return this.settle();
      case "failCommit":
        return this.#failCommit();
      case "crash":
        return this.#crash();
      case "reopen":
        await this.settle();
        await this.store.close();
        this.store = this.#open();
        return;
      case "end":
        return this.#end(act);
      case "redeliver":
        return this.#redeliver(act);
      default: {
        const id = conversations[act.of] ?? "";
        const floor = await this.store.log.load(id);
        const made = await this.#decided(act, id, floor);
        if (made !== undefined) this.#append(id, floor?.seq ?? 0, made, act.isBroken);
      }
    }
  }

  #append(id: string, expectedSeq: number, change: Change, broken: boolean): void {
    // A strict table refuses an object as text.
    const given = broken ? { ...change, timers: [{ id: "t", at: {} as string, since: now }] } : change;
    const writing = this.store.log.append(id, given, expectedSeq);
    const outcome = Promise.allSettled([writing]).then(([one]) => one as PromiseSettledResult<string>);
    this.#attempts.push({ change: given, expectedSeq, outcome });
  }

  async #decided(act: Extract<Act, { isBroken: boolean }>, id: string, floor: Floor | undefined) {
    const { kind, pick } = act;
    if (floor === undefined) return changeOf(openDecision(id, { title: id }));
    const key = `${id}-${floor.seq}`;
    const request = { caller: "ann", key, hash: `hash of ${key}`, at: now };
    if (floor.conversants.length < 2) return changeOf(seatDecision(floor), { request });
    const open = floor.open[pick % Math.max(1, floor.open.length)];
    if (kind === "say" || open === undefined) {
      const dedupe = { sender: ann, dialogEventId: key, ...(pick % 3 === 0 && { hash: `words of ${key}` }) };
      const timers = pick === 1 ? [{ id: key, at: now, since: now }] : [];
      return changeOf(envelopeDecision(floor, utterance(`text ${key}`, key)), { dedupe: [dedupe], request, timers });
    }
    if (kind === "answer") return this.#answered(floor, open.id, key, pick);
    if (kind === "bury") {
      const dead = [{ delivery: open.id, failure: "unreachable", detail: "", at: now }];
      return { ...changeOf(envelopeDecision(floor, utterance("late", key))), dead, settled: [open.id] };
    }
    if (kind === "settleBare") {
      return { floor, entries: [], deliveries: [], timers: [], dedupe: [], settled: [open.id], rung: [], dead: [] };
    }
    const seq = 1 + ((pick * 3) % floor.seq);
    const erasing = decide(floor, { kind: "command", command: { verb: "erase", seq }, by: "operator" }, now);
    return erasing.entries.some((entry) => entry.kind === "erased") ? changeOf(erasing) : undefined;
  }

  #answered(floor: Floor, delivery: string, key: string, pick: number): Change {
    const said = textUtterance(`answer ${key}`, { speakerUri: bot.speakerUri, id: key, startTime: now });
    const reply = envelope({ conversation: { id: floor.id }, sender: { speakerUri: bot.speakerUri }, events: [said] });
    const decision: Decision = decide(floor, { kind: "answer", delivery, envelope: reply, dialect: "1.1" }, now);
    const isKept = pick === 2;
    const dedupe = decision.entries.some((entry) => entry.kind === "received")
      ? [{ sender: bot.speakerUri, dialogEventId: key }]
      : [];
    return changeOf(decision, { dedupe, settled: isKept ? [] : [delivery] });
  }

  /** A delivery that needs no answer. It may end before the decision that sent it is durable. */
  async #end({ of, pick }: { of: number; pick: number }): Promise<void> {
    const id = conversations[of] ?? "";
    const open = (await this.store.log.load(id))?.open ?? [];
    const delivery = open[pick % Math.max(1, open.length)]?.id;
    if (delivery === undefined) return;
    const ended = this.store.outbox.settle(id, delivery);
    this.#attempts.push(async () => {
      await ended;
      await this.model.outbox.settle(id, delivery);
    });
  }

  async #redeliver({ pick }: { pick: number }): Promise<void> {
    await this.settle();
    const letters = await this.model.outbox.deadLetters({ limit: 100 });
    const letter = letters[pick % Math.max(1, letters.length)];
    if (letter === undefined) return;
    const key = { conversationId: letter.conversationId, delivery: letter.effect.delivery };
    const redelivering = this.store.outbox.redeliver(key);
    this.#commit();
    expect(await redelivering).toBe(true);
    expect(await this.model.outbox.redeliver(key)).toBe(true);
  }

  /** Commits, and does in memory what was written. */
  async settle(): Promise<void> {
    this.#commit();
    for (const attempt of this.#attempts.splice(0)) {
      if (typeof attempt === "function") await attempt();
      else {
        const { change, expectedSeq, outcome } = attempt;
        const result = await outcome;
        if (result.status === "rejected" || result.value === "conflict") continue;
        expect(await this.model.log.append(change.floor.id, change, expectedSeq)).toBe("appended");
      }
    }
  }

  async #failCommit(): Promise<void> {
    if (this.#attempts.some((attempt) => typeof attempt === "function")) return;
    const db = new Database(this.file);
    db.exec(`
      CREATE TABLE present (id INTEGER PRIMARY KEY);
      CREATE TABLE absent (id INTEGER REFERENCES present (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER fail_commit AFTER INSERT ON log BEGIN INSERT INTO absent VALUES (1); END;
    `);
    await this.settle();
    db.exec("DROP TRIGGER fail_commit; DROP TABLE absent; DROP TABLE present");
    db.close();
  }

  /** What is on the disk now is what a process that is killed leaves. */
  async #crash(): Promise<void> {
    await this.settle();
    const copy = `${this.file}-copy`;
    for (const end of ["", "-wal", "-lock"]) {
      rmSync(`${copy}${end}`, { force: true });
      if (end !== "-lock" && existsSync(`${this.file}${end}`)) copyFileSync(`${this.file}${end}`, `${copy}${end}`);
    }
    const image = createSqliteStore(copy);
    expect(await answersOf(image)).toEqual(await answersOf(this.model));
    await image.close();
    expect(problemsIn(copy)).toEqual([]);
  }

  async end(): Promise<void> {
    await this.settle();
    expect(await answersOf(this.store)).toEqual(await answersOf(this.model));
    await this.#crash();
    expect(problemsIn(this.file)).toEqual([]);
    await this.store.close();
    this.store = this.#open();
    expect(await answersOf(this.store)).toEqual(await answersOf(this.model));
    await this.store.close();
    expect(problemsIn(this.file)).toEqual([]);
  }
}

function problemsIn(file: string): unknown[] {
  return [...verifySqlite(file)].filter(({ problem }) => problem !== undefined);
}

let trials = 0;

test("random work gives the same answers as in memory, in use, after a crash and after a restart", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (list) => {
      trials += 1;
      const trial = new Trial(trials);
      try {
        for (const act of list) await trial.run(act);
        await trial.end();
      } finally {
        await trial.store.close().catch(() => {});
      }
    }),
    { numRuns: 60 },
  );
});
