// The hashes of an utterance are the same wherever its name is kept: in memory, in the log or in the table.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Decision, decide, type Floor } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { anyWords, contentHash } from "../../conversation/dedupe.ts";
import type { DedupeKey } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import { ann, bot, changeOf, envelopeDecision, now, openDecision, utterance } from "../acceptance/fixture.ts";
import { createSqliteStore } from "./store.ts";

let [folder, file] = ["", ""];
let store: FloorStore;
let commit = () => {};

function open(cachedMax?: number): void {
  const soon = (run: () => void) => {
    commit = run;
  };
  store = createSqliteStore(file, { soon, ...(cachedMax !== undefined && { cachedMax }) });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-hashes-"));
  file = join(folder, "floor.db");
  open();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function append(decision: Decision, dedupe: readonly DedupeKey[] = []): Promise<Floor> {
  const expected = decision.floor.seq - decision.entries.length;
  const written = store.log.append(decision.floor.id, changeOf(decision, { dedupe }), expected);
  commit();
  expect(await written).toBe("appended");
  return decision.floor;
}

const named = (dialogEventId: string, sender = ann) => ({ sender, dialogEventId });

let others = 0;

/** Asks in all the places that a name moves through. */
async function expectKnown(expected: Record<string, string[]>): Promise<void> {
  const names = Object.keys(expected).map((id) => named(id));
  const isKnown = () => expect(store.lookups.seen("c", names)).toEqual(Object.values(expected));
  isKnown();
  // Both moved to the tables and read into an empty memory.
  await store.close();
  open(1);
  isKnown();
  others += 1;
  await append(openDecision(`other ${others}`));
  isKnown();
}

async function say(floor: Floor, events: readonly FloorEvent[], dedupe: readonly DedupeKey[]): Promise<Floor> {
  return append(envelopeDecision(floor, ...events), dedupe);
}

test("the content of an utterance in the log is hashed when its name is used again", async () => {
  const floor = await append(openDecision("c"));
  await say(floor, [utterance("one", "u1"), utterance("two", "u2")], [named("u1"), named("u2")]);
  const [one, two] = [contentHash(utterance("one", "u1")), contentHash(utterance("two", "u2"))];
  expect(store.lookups.seen("c", [named("u1", bot.speakerUri)])).toEqual([[]]);
  await expectKnown({ u1: [one], u2: [two], u3: [] });
});

test("a change that waits for its commit is known", async () => {
  const floor = await append(openDecision("c"));
  const waiting = envelopeDecision(floor, utterance("one", "u1"));
  const dedupe = [named("u1"), { ...named("u2"), hash: "given" }];
  const written = store.log.append("c", changeOf(waiting, { dedupe }), floor.seq);
  const known = [[contentHash(utterance("one", "u1"))], ["given"]];
  expect(store.lookups.seen("c", [named("u1"), named("u2")])).toEqual(known);
  commit();
  await written;
  expect(store.lookups.seen("c", [named("u1"), named("u2")])).toEqual(known);
});

test("a name has all its hashes, given and from the log", async () => {
  let floor = await append(openDecision("c"));
  floor = await say(floor, [utterance("one", "u1")], [named("u1")]);
  floor = await say(floor, [utterance("else", "u2")], [{ ...named("u1"), hash: "given" }]);
  await say(floor, [utterance("else", "u3")], [{ ...named("u1"), hash: anyWords }]);
  const known = store.lookups.seen("c", [named("u1")]) as string[][];
  expect(new Set(known[0])).toEqual(new Set([contentHash(utterance("one", "u1")), "given", anyWords]));
});

test("an erased utterance is known by the hash of its text, also when another one in its envelope has its id", async () => {
  let floor = await append(openDecision("c"));
  const twice = [utterance("first words", "u1"), utterance("other words", "u1")];
  floor = await say(floor, twice, [named("u1")]);
  const known = { u1: [contentHash(utterance("first words", "u1"))] };
  await expectKnown(known);
  const second = (await store.log.entries("c", { after: 0, limit: 9 })).find(
    (entry) => entry.kind !== "received" && JSON.stringify(entry).includes("other words"),
  );
  const erase = { verb: "erase", seq: second?.seq ?? 0 } as const;
  floor = await append(decide(floor, { kind: "command", command: erase, by: "operator" }, now));
  expect(JSON.stringify(await store.log.entries("c", { after: 0, limit: 9 }))).not.toContain("other words");
  await expectKnown(known);
  const first = { verb: "erase", seq: 2 } as const;
  await append(decide(floor, { kind: "command", command: first, by: "operator" }, now));
  expect(JSON.stringify(await store.log.entries("c", { after: 0, limit: 9 }))).not.toContain("first words");
  await expectKnown(known);
});
