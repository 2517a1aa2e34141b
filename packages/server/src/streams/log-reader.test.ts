import { type Command, decide, emptyFloor, type Floor } from "@plenary/floor";
import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { personOf } from "../conversation/new-conversation.ts";
import { createNotifier } from "../conversation/notifier.ts";
import type { Change, ConversationLog } from "../ports/conversation-log.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createLiveTails } from "./live-tail.ts";
import { LogReader } from "./log-reader.ts";

const ann = "tag:floor.example,2026:ann";
const now = "2026-01-01T00:00:00.000Z";
const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "https://floor.example/openfloor" };
const nothing = { deliveries: [], timers: [], dedupe: [], settled: [], rung: [], dead: [] };

/** A conversation with this number of utterances, as the changes of its log. */
function history(utterances: number): Change[] {
  const owner = personOf({ speakerUri: ann }, self);
  const command: Command = { verb: "open", self, owner, options: emptyFloor("c1").options };
  const opened = decide(emptyFloor("c1"), { kind: "command", command, by: "operator" }, now);
  const changes: Change[] = [{ ...nothing, floor: opened.floor, entries: opened.entries }];
  for (let count = 0, floor: Floor = opened.floor; count < utterances; count += 1) {
    const event = textUtterance(`word ${count}`, { speakerUri: ann, id: `u${count}`, startTime: now });
    const message = envelope({ conversation: { id: "c1" }, sender: { speakerUri: ann }, events: [event] });
    const { floor: next, entries } = decide(floor, { kind: "envelope", envelope: message }, now);
    changes.push({ ...nothing, floor: next, entries });
    floor = next;
  }
  return changes;
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Each answer of the store is delayed, so it may be outdated. */
function slow(log: ConversationLog, random: (below: number) => number): ConversationLog {
  const later = async <T>(answer: MaybePromise<T>): Promise<T> => {
    const value = await answer;
    await rounds(random(5));
    return value;
  };
  return {
    ...log,
    load: (id) => later(log.load(id)),
    entries: (id, range) => later(log.entries(id, range)),
    floorAt: (id, seq) => later(log.floorAt(id, seq)),
  };
}

/** Pauses at random for a while, as for a slow client. */
function randomBackpressure(random: (below: number) => number) {
  let isPaused = false;
  return {
    isPaused: () => {
      isPaused ||= random(10) === 0;
      return isPaused;
    },
    resumed: async () => {
      await rounds(random(5));
      isPaused = false;
    },
    missed: () => {},
    close: () => {},
  };
}

test("readers that start at any time and pause at random read each entry once, in order", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = seeded(seed);
    const { log } = createMemoryStore();
    const notifier = createNotifier();
    const onError = (error: unknown) => expect.unreachable(String(error));
    const liveTails = createLiveTails({ log: slow(log, random), notifier, onError });
    const shown: { after: number; seqs: number[] }[] = [];
    const readers: LogReader[] = [];
    const expected: number[] = [];
    for (const change of history(60)) {
      const first = change.entries[0]?.seq ?? 1;
      await log.append("c1", change, first - 1);
      notifier.wake("c1");
      for (const entry of change.entries) if (entry.kind === "event") expected.push(entry.seq);
      // Sometimes long enough for readers to reach the end.
      await rounds(random(12));
      if (random(3) > 0) continue;
      const [after, seqs]: [number, number[]] = [random(first), []];
      shown.push({ after, seqs });
      const show = (_: unknown, seq: number) => seqs.push(seq);
      const position = { conversationId: "c1", speaker: ann, after };
      const backpressure = randomBackpressure(random);
      readers.push(new LogReader({ ...position, log: slow(log, random), liveTails, backpressure, show }, onError));
    }
    const last = expected.at(-1) ?? 0;
    for (let left = 2_000; left > 0 && readers.some((reader) => reader.seq() < last); left -= 1) await rounds(1);
    for (const { after, seqs } of shown) expect(seqs, `seed ${seed}`).toEqual(expected.filter((seq) => seq > after));
    for (const reader of readers) reader.stop();
  }
});
