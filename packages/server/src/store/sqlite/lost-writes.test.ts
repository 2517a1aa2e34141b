// What a write leaves that fails, or that another process overtakes: nothing, and the writes beside it stay.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Decision, Floor } from "@plenary/floor";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import {
  ann,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  openDecision,
  seatDecision,
  utterance,
} from "../acceptance/fixture.ts";
import { createSqliteStore, type SqliteStoreOptions } from "./store.ts";
import { verifySqlite } from "./verify.ts";

let [folder, file] = ["", ""];
let store: FloorStore;
let commit = () => {};

function open(options: SqliteStoreOptions = {}): FloorStore {
  const soon = (run: () => void) => {
    commit = run;
  };
  store = createSqliteStore(file, { soon, ...options });
  return store;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-lost-"));
  file = join(folder, "floor.db");
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A strict table refuses an object as text, after all else of the decision was written. */
const refused = { timers: [{ id: "t", at: {} as string, since: now }] };

const say = (floor: Floor, text: string) => envelopeDecision(floor, utterance(text));

function append(decision: Decision, more: Partial<Change> = {}): Promise<string> {
  const outcome = store.log.append(
    decision.floor.id,
    changeOf(decision, more),
    decision.floor.seq - decision.entries.length,
  );
  return outcome.catch(({ code }) => code);
}

/** Writes together. */
async function committed(...writing: Promise<unknown>[]): Promise<unknown[]> {
  commit();
  return Promise.all(writing);
}

const named = (dialogEventId: string) => ({ sender: ann, dialogEventId });
const sentBy = ({ effects }: Decision) => effects.flatMap((one) => (one.kind === "deliver" ? [one.delivery] : []));

/** A conversation with an agent, and a delivery to it. */
async function conversationWithAgent(id: string): Promise<Decision> {
  const opened = openDecision(id);
  const seated = seatDecision(opened.floor);
  const asked = say(seated.floor, `question in ${id}`);
  expect(await committed(append(opened), append(seated), append(asked))).toEqual(["appended", "appended", "appended"]);
  return asked;
}

async function pending(): Promise<string[]> {
  const { deliveries } = await store.outbox.pending();
  return deliveries.map(({ conversationId, effect }) => `${conversationId} ${effect.delivery}`);
}

function verdicts() {
  return [...verifySqlite(file)].map(({ conversation, entries, problem }) => [conversation, entries, problem]);
}

test("a decision that fails sends nothing, ends no delivery and leaves no name, now and after a restart", async () => {
  open();
  const [asked, other] = [await conversationWithAgent("a"), await conversationWithAgent("b")];
  const failing = say(asked.floor, "lost");
  const beside = say(other.floor, "kept");
  const writing = [
    append(failing, { ...refused, settled: sentBy(asked), dedupe: [named("lost")] }),
    append(beside, { dedupe: [named("kept")] }),
  ];
  expect(await committed(...writing)).toEqual(["store-write", "appended"]);
  const left = ["a", "b", "b"].map((id, at) => `${id} ${[asked, other, beside].flatMap(sentBy)[at]}`);
  for (const isAgain of [false, true]) {
    if (isAgain) {
      await store.close();
      open();
    }
    expect(await pending()).toEqual(left);
    expect(store.lookups.seen("a", [named("lost")])).toEqual([[]]);
    expect(store.lookups.seen("b", [named("kept")])).toEqual([[expect.any(String)]]);
    expect(verdicts()).toEqual([
      ["a", asked.floor.seq, undefined],
      ["b", beside.floor.seq, undefined],
    ]);
  }
});

test("a decision that fails after it moved the backlog leaves the rows of the others to be moved later", async () => {
  open();
  const asked = await conversationWithAgent("a");
  const dead = sentBy(asked).map((delivery) => ({ delivery, failure: "unreachable", detail: "", at: now }));
  const failing = append(say(asked.floor, "lost"), { ...refused, dead, settled: sentBy(asked) });
  expect(await committed(append(openDecision("b")), failing)).toEqual(["appended", "store-write"]);
  expect(await store.outbox.deadLetters({ limit: 9 })).toEqual([]);
  await store.close();
  open();
  expect(store.log.load("a")).toEqual(asked.floor);
  expect(await pending()).toEqual([`a ${sentBy(asked)[0]}`]);
  expect(verdicts()).toEqual([
    ["a", asked.floor.seq, undefined],
    ["b", 1, undefined],
  ]);
});

test("a repeated key of a request that failed is new", async () => {
  open();
  const key = { caller: "ann", key: "k" };
  const failing = append(openDecision("a"), { ...refused, request: { ...key, hash: "h", at: now } });
  expect(store.lookups.request(key)).toMatchObject({ conversationId: "a", hash: "h" });
  await committed(failing);
  expect(store.lookups.request(key)).toBeUndefined();
});

test("a conversation that is evicted while its decision fails gets no snapshot of it", async () => {
  open({ soon: (run) => queueMicrotask(run) });
  const floor = await conversationWithUtterances(store, "a", 20);
  await store.close();
  open({ cachedMax: 1 });
  expect(store.log.load("a")).toEqual(floor);
  const writing = [append(say(floor, "lost"), refused), append(openDecision("b"))];
  expect(await committed(...writing)).toEqual(["store-write", "appended"]);
  commit();
  expect(store.log.load("a")).toEqual(floor);
  expect(verdicts()).toEqual([
    ["a", floor.seq, undefined],
    ["b", 1, undefined],
  ]);
});

test("when another process has written, although the store is locked, the next decision is refused", async () => {
  open({ soon: (run) => queueMicrotask(run) });
  const floor = await openConversation(store, "a");
  const other = new Database(file);
  other.exec("INSERT INTO conversation (id, started) VALUES ('foreign', '')");
  other.exec("INSERT INTO log SELECT pos + 1, 2, 1, 1, at, entries, payload, digest, chain, keys FROM log");
  other.close();
  expect(await append(say(floor, "lost"))).toBe("store-write");
  expect(store.log.load("a")).toEqual(floor);
  await store.close();
  open({ soon: (run) => queueMicrotask(run) });
  expect(await append(say(floor, "kept"))).toBe("appended");
});
