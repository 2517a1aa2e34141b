import { expect, test } from "vitest";
import type { Problem } from "../errors.ts";
import { type QueuedInput, takeTurn } from "../testing/queued-input.ts";
import { createConversationQueue } from "./conversation-queue.ts";

function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { resolve, reject, promise };
}

type Outcome = "appended" | "conflict";

/** Records its steps, and is durable when `durable` resolves. */
function input(name: string, steps: string[], ...durable: Promise<Outcome>[]): QueuedInput<string> {
  return {
    async plan() {
      steps.push(`${name} plans`);
      return () => durable.shift() ?? Promise.resolve("appended");
    },
    finish() {
      steps.push(`${name} ends`);
      return name;
    },
  };
}

const nothing = (plan: () => Promise<void> = async () => {}): QueuedInput<string> => ({
  async plan() {
    await plan();
    return undefined;
  },
  finish: () => "nothing",
});

test("inputs of one conversation are planned one after the other, in order of arrival", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const first = deferred();
  const all = [
    takeTurn(
      queue,
      "c",
      nothing(() => first.promise),
    ),
    takeTurn(queue, "c", input("second", steps)),
  ];
  await takeTurn(queue, "another", input("elsewhere", steps));
  expect(steps).toEqual(["elsewhere plans", "elsewhere ends"]);
  first.resolve();
  await Promise.all(all);
  expect(steps.slice(2)).toEqual(["second plans", "second ends"]);
});

test("the next input is planned while the one before is being written, and ends after it", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const disk = deferred<Outcome>();
  const first = takeTurn(queue, "c", input("first", steps, disk.promise));
  const second = takeTurn(queue, "c", input("second", steps));
  await takeTurn(queue, "another", nothing());
  await takeTurn(queue, "another", nothing());
  expect(steps).toEqual(["first plans", "second plans"]);
  disk.resolve("appended");
  await Promise.all([first, second]);
  expect(steps.slice(2)).toEqual(["first ends", "second ends"]);
});

test("an input with nothing to write ends after the earlier ones are durable", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const disk = deferred<Outcome>();
  const first = takeTurn(queue, "c", input("first", steps, disk.promise));
  const repeated = takeTurn(queue, "c", nothing()).then(() => steps.push("repetition ends"));
  disk.resolve("appended");
  await Promise.all([first, repeated]);
  expect(steps).toEqual(["first plans", "first ends", "repetition ends"]);
});

test("an input that repeats a failed one is planned again", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const disk = deferred<Outcome>();
  const first = takeTurn(queue, "c", input("first", steps, disk.promise));
  let plans = 0;
  const repeated = takeTurn(queue, "c", {
    async plan() {
      plans += 1;
      return plans === 1 ? undefined : async () => "appended";
    },
    finish: () => plans,
  });
  await takeTurn(queue, "another", nothing());
  disk.reject(new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  expect(await repeated).toBe(2);
});

test("after a conflict all inputs are planned again in order, and new inputs wait", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const [lost, built] = [deferred<Outcome>(), deferred<Outcome>()];
  const all = [
    takeTurn(queue, "c", input("first", steps, lost.promise)),
    takeTurn(queue, "c", input("second", steps, built.promise)),
  ];
  await takeTurn(queue, "another", nothing());
  lost.resolve("conflict");
  built.resolve("conflict");
  all.push(takeTurn(queue, "c", input("third", steps)));
  await Promise.all(all);
  expect(steps.filter((line) => line.endsWith("ends"))).toEqual(["first ends", "second ends", "third ends"]);
  expect(steps.filter((line) => line === "first plans")).toHaveLength(2);
});

test("a stale plan is not written", async () => {
  const queue = createConversationQueue();
  const steps: string[] = [];
  const lost = deferred<Outcome>();
  const slow = deferred();
  let written = 0;
  const first = takeTurn(queue, "c", input("first", steps, lost.promise));
  let plans = 0;
  const second = takeTurn(queue, "c", {
    async plan() {
      plans += 1;
      const isStale = plans === 1;
      if (isStale) await slow.promise;
      return async () => {
        if (isStale) written += 1;
        return "appended";
      };
    },
    finish: () => steps.push("second ends"),
  });
  await takeTurn(queue, "another", nothing());
  lost.resolve("conflict");
  await takeTurn(queue, "another", nothing());
  slow.resolve();
  await Promise.all([first, second]);
  expect(written).toBe(0);
  expect(steps.at(-1)).toBe("second ends");
});

test("an input that loses every conflict is rejected", async () => {
  const queue = createConversationQueue();
  const losing = takeTurn(queue, "c", { plan: async () => async () => "conflict" as const, finish: () => "never" });
  await expect(losing).rejects.toMatchObject({ code: "unavailable" } satisfies Partial<Problem>);
});

test("a failed input does not block the next one", async () => {
  const queue = createConversationQueue();
  const failing = takeTurn(queue, "c", { plan: () => Promise.reject(new Error("no")), finish: () => "never" });
  await expect(failing).rejects.toThrow("no");
  const unwritten = takeTurn(queue, "c", input("unwritten", [], Promise.reject(new Error("disk full"))));
  await expect(unwritten).rejects.toThrow("disk full");
  expect(await takeTurn(queue, "c", input("yes", []))).toBe("yes");
});

test("a full queue rejects callers with busy, but still accepts answers", async () => {
  const queue = createConversationQueue({ perConversationMax: 1, totalMax: 2 });
  const first = deferred();
  const running = [
    takeTurn(
      queue,
      "c",
      nothing(() => first.promise),
    ),
    takeTurn(
      queue,
      "d",
      nothing(() => first.promise),
    ),
  ];
  await expect(takeTurn(queue, "c", nothing())).rejects.toMatchObject({ code: "busy" } satisfies Partial<Problem>);
  await expect(takeTurn(queue, "e", nothing())).rejects.toMatchObject({
    code: "overloaded",
  } satisfies Partial<Problem>);
  const answer = takeTurn(queue, "c", input("answer", []), { isAwaited: true });
  expect(queue.waiting()).toBe(3);
  first.resolve();
  await Promise.all(running);
  expect(await answer).toBe("answer");
  expect(await takeTurn(queue, "c", input("later", []))).toBe("later");
  expect(queue.waiting()).toBe(0);
});
