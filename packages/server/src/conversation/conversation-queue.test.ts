import { expect, test } from "vitest";
import type { Problem } from "../errors.ts";
import { createConversationQueue, type QueuedInput } from "./conversation-queue.ts";

function gate<T = void>() {
  let open: (value: T) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { open, fail, opened };
}

type Outcome = "appended" | "conflict";

/** Records its steps, and is durable when `durable` resolves. */
function input(name: string, said: string[], ...durable: Promise<Outcome>[]): QueuedInput<string> {
  return {
    async plan() {
      said.push(`${name} plans`);
      return () => durable.shift() ?? Promise.resolve("appended");
    },
    finish() {
      said.push(`${name} ends`);
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
  const said: string[] = [];
  const first = gate();
  const all = [
    queue.take(
      "c",
      nothing(() => first.opened),
    ),
    queue.take("c", input("second", said)),
  ];
  await queue.take("another", input("elsewhere", said));
  expect(said).toEqual(["elsewhere plans", "elsewhere ends"]);
  first.open();
  await Promise.all(all);
  expect(said.slice(2)).toEqual(["second plans", "second ends"]);
});

test("the next input is planned while the one before is being written, and ends after it", async () => {
  const queue = createConversationQueue();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = queue.take("c", input("first", said, disk.opened));
  const second = queue.take("c", input("second", said));
  await queue.take("another", nothing());
  await queue.take("another", nothing());
  expect(said).toEqual(["first plans", "second plans"]);
  disk.open("appended");
  await Promise.all([first, second]);
  expect(said.slice(2)).toEqual(["first ends", "second ends"]);
});

test("an input with nothing to write ends after the earlier ones are durable", async () => {
  const queue = createConversationQueue();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = queue.take("c", input("first", said, disk.opened));
  const repeated = queue.take("c", nothing()).then(() => said.push("repetition ends"));
  disk.open("appended");
  await Promise.all([first, repeated]);
  expect(said).toEqual(["first plans", "first ends", "repetition ends"]);
});

test("an input that repeats a failed one is planned again", async () => {
  const queue = createConversationQueue();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = queue.take("c", input("first", said, disk.opened));
  let plans = 0;
  const repeated = queue.take("c", {
    async plan() {
      plans += 1;
      return plans === 1 ? undefined : async () => "appended";
    },
    finish: () => plans,
  });
  await queue.take("another", nothing());
  disk.fail(new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  expect(await repeated).toBe(2);
});

test("after a conflict all inputs are planned again in order, and new inputs wait", async () => {
  const queue = createConversationQueue();
  const said: string[] = [];
  const [lost, built] = [gate<Outcome>(), gate<Outcome>()];
  const all = [
    queue.take("c", input("first", said, lost.opened)),
    queue.take("c", input("second", said, built.opened)),
  ];
  await queue.take("another", nothing());
  lost.open("conflict");
  built.open("conflict");
  all.push(queue.take("c", input("third", said)));
  await Promise.all(all);
  expect(said.filter((line) => line.endsWith("ends"))).toEqual(["first ends", "second ends", "third ends"]);
  expect(said.filter((line) => line === "first plans")).toHaveLength(2);
});

test("a stale plan is not written", async () => {
  const queue = createConversationQueue();
  const said: string[] = [];
  const lost = gate<Outcome>();
  const slow = gate();
  let written = 0;
  const first = queue.take("c", input("first", said, lost.opened));
  let plans = 0;
  const second = queue.take("c", {
    async plan() {
      plans += 1;
      const isStale = plans === 1;
      if (isStale) await slow.opened;
      return async () => {
        if (isStale) written += 1;
        return "appended";
      };
    },
    finish: () => said.push("second ends"),
  });
  await queue.take("another", nothing());
  lost.open("conflict");
  await queue.take("another", nothing());
  slow.open();
  await Promise.all([first, second]);
  expect(written).toBe(0);
  expect(said.at(-1)).toBe("second ends");
});

test("an input that loses every conflict is rejected", async () => {
  const queue = createConversationQueue();
  const losing = queue.take("c", { plan: async () => async () => "conflict" as const, finish: () => "never" });
  await expect(losing).rejects.toMatchObject({ code: "unavailable" } satisfies Partial<Problem>);
});

test("a failed input does not block the next one", async () => {
  const queue = createConversationQueue();
  const failing = queue.take("c", { plan: () => Promise.reject(new Error("no")), finish: () => "never" });
  await expect(failing).rejects.toThrow("no");
  const unwritten = queue.take("c", input("unwritten", [], Promise.reject(new Error("disk full"))));
  await expect(unwritten).rejects.toThrow("disk full");
  expect(await queue.take("c", input("yes", []))).toBe("yes");
});

test("a full queue rejects callers with busy, but still accepts answers", async () => {
  const queue = createConversationQueue({ perConversationMax: 1, totalMax: 2 });
  const first = gate();
  const server = [
    queue.take(
      "c",
      nothing(() => first.opened),
    ),
    queue.take(
      "d",
      nothing(() => first.opened),
    ),
  ];
  await expect(queue.take("c", nothing())).rejects.toMatchObject({ code: "busy" } satisfies Partial<Problem>);
  await expect(queue.take("e", nothing())).rejects.toMatchObject({ code: "overloaded" } satisfies Partial<Problem>);
  const answer = queue.take("c", input("answer", []), { isAwaited: true });
  expect(queue.waiting()).toBe(3);
  first.open();
  await Promise.all(server);
  expect(await answer).toBe("answer");
  expect(await queue.take("c", input("later", []))).toBe("later");
  expect(queue.waiting()).toBe(0);
});
