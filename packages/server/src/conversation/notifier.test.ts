import { decide, defaultOptions, emptyFloor } from "@plenary/floor";
import { expect, test } from "vitest";
import type { ConversationLog } from "../ports/conversation-log.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createNotifier, tail } from "./notifier.ts";

const now = "2026-01-01T00:00:00.000Z";

async function appendEntry(log: ConversationLog, id: string): Promise<void> {
  const floor = (await log.load(id)) ?? emptyFloor(id);
  const self = { speakerUri: "tag:floor.example,2026:f" };
  const name = `tag:people.example,2026:p${floor.seq}`;
  const identification = { speakerUri: name, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  const command =
    floor.seq === 0
      ? ({ verb: "open", self, options: defaultOptions } as const)
      : ({ verb: "seat", identification, seatKind: "agent" } as const);
  const decision = decide(floor, { kind: "command", command, by: "operator" }, now);
  const change = { ...decision, deliveries: [], timers: [], dedupe: [], settled: [], rung: [], dead: [] };
  expect(await log.append(id, change, floor.seq)).toBe("appended");
}

test("a reader gets earlier and new entries, each once and in order", async () => {
  const { log } = createMemoryStore();
  const notifier = createNotifier();
  for (let count = 0; count < 3; count += 1) await appendEntry(log, "c");
  const controller = new AbortController();
  const seqs: number[] = [];
  const reading = (async () => {
    for await (const { seq } of tail({ log, notifier }, "c", { after: 1, signal: controller.signal })) {
      seqs.push(seq);
      if (seq === 6) controller.abort();
    }
  })();
  for (let count = 0; count < 3; count += 1) {
    await appendEntry(log, "c");
    notifier.wake("c");
  }
  await reading;
  expect(seqs).toEqual([2, 3, 4, 5, 6]);
});

test("a waiting reader can be stopped, and leaves no listener behind", async () => {
  const { log } = createMemoryStore();
  const notifier = createNotifier();
  const controller = new AbortController();
  const reading = (async () => {
    for await (const _entry of tail({ log, notifier }, "c", { after: 0, signal: controller.signal }));
  })();
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await reading;
});

test("a listener to all conversations is notified of each; a stopped listener is not", () => {
  const notifier = createNotifier();
  const calls: string[] = [];
  const stop = notifier.watch(undefined, (id) => calls.push(`all ${id}`));
  notifier.watch("c", (id) => calls.push(`one ${id}`));
  notifier.wake("c");
  notifier.wake("d");
  stop();
  notifier.wake("c");
  expect(calls).toEqual(["one c", "all c", "all d", "one c"]);
});
