import { expect, test } from "vitest";
import type { Problem } from "../errors.ts";
import { createTurns, type Walk } from "./conversation-queue.ts";

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

/** Says what it does, and is durable when `durable` resolves. */
function walk(name: string, said: string[], ...durable: Promise<Outcome>[]): Walk<string> {
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

const nothing = (plan: () => Promise<void> = async () => {}): Walk<string> => ({
  async plan() {
    await plan();
    return undefined;
  },
  finish: () => "nothing",
});

test("inputs of one conversation are planned one after the other, in the order they came", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const first = gate();
  const all = [
    turns.take(
      "c",
      nothing(() => first.opened),
    ),
    turns.take("c", walk("second", said)),
  ];
  await turns.take("another", walk("elsewhere", said));
  expect(said).toEqual(["elsewhere plans", "elsewhere ends"]);
  first.open();
  await Promise.all(all);
  expect(said.slice(2)).toEqual(["second plans", "second ends"]);
});

test("the next input is planned while the one before is on its way to the disk, and ends after it", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = turns.take("c", walk("first", said, disk.opened));
  const second = turns.take("c", walk("second", said));
  await turns.take("another", nothing());
  await turns.take("another", nothing());
  expect(said).toEqual(["first plans", "second plans"]);
  disk.open("appended");
  await Promise.all([first, second]);
  expect(said.slice(2)).toEqual(["first ends", "second ends"]);
});

test("what has nothing to write ends after what it may repeat is durable", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = turns.take("c", walk("first", said, disk.opened));
  const repeated = turns.take("c", nothing()).then(() => said.push("repetition ends"));
  disk.open("appended");
  await Promise.all([first, repeated]);
  expect(said).toEqual(["first plans", "first ends", "repetition ends"]);
});

test("what repeats an input that came to nothing is planned again", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const disk = gate<Outcome>();
  const first = turns.take("c", walk("first", said, disk.opened));
  let plans = 0;
  const repeated = turns.take("c", {
    async plan() {
      plans += 1;
      return plans === 1 ? undefined : async () => "appended";
    },
    finish: () => plans,
  });
  await turns.take("another", nothing());
  disk.fail(new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  expect(await repeated).toBe(2);
});

test("after a conflict everything is planned again in its order, and newcomers wait", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const [lost, built] = [gate<Outcome>(), gate<Outcome>()];
  const all = [turns.take("c", walk("first", said, lost.opened)), turns.take("c", walk("second", said, built.opened))];
  await turns.take("another", nothing());
  lost.open("conflict");
  built.open("conflict");
  all.push(turns.take("c", walk("third", said)));
  await Promise.all(all);
  expect(said.filter((line) => line.endsWith("ends"))).toEqual(["first ends", "second ends", "third ends"]);
  expect(said.filter((line) => line === "first plans")).toHaveLength(2);
});

test("what was planned on ground that is gone is not written", async () => {
  const turns = createTurns();
  const said: string[] = [];
  const lost = gate<Outcome>();
  const slow = gate();
  let written = 0;
  const first = turns.take("c", walk("first", said, lost.opened));
  let plans = 0;
  const second = turns.take("c", {
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
  await turns.take("another", nothing());
  lost.open("conflict");
  await turns.take("another", nothing());
  slow.open();
  await Promise.all([first, second]);
  expect(written).toBe(0);
  expect(said.at(-1)).toBe("second ends");
});

test("who always loses against others is told so", async () => {
  const turns = createTurns();
  const losing = turns.take("c", { plan: async () => async () => "conflict" as const, finish: () => "never" });
  await expect(losing).rejects.toMatchObject({ code: "unavailable" } satisfies Partial<Problem>);
});

test("an input that fails does not hold up the next", async () => {
  const turns = createTurns();
  const failing = turns.take("c", { plan: () => Promise.reject(new Error("no")), finish: () => "never" });
  await expect(failing).rejects.toThrow("no");
  const unwritten = turns.take("c", walk("unwritten", [], Promise.reject(new Error("disk full"))));
  await expect(unwritten).rejects.toThrow("disk full");
  expect(await turns.take("c", walk("yes", []))).toBe("yes");
});

test("when too much waits, callers are told to come back, but answers are still taken", async () => {
  const turns = createTurns({ perConversationMax: 1, totalMax: 2 });
  const first = gate();
  const running = [
    turns.take(
      "c",
      nothing(() => first.opened),
    ),
    turns.take(
      "d",
      nothing(() => first.opened),
    ),
  ];
  await expect(turns.take("c", nothing())).rejects.toMatchObject({ code: "busy" } satisfies Partial<Problem>);
  await expect(turns.take("e", nothing())).rejects.toMatchObject({ code: "overloaded" } satisfies Partial<Problem>);
  const answer = turns.take("c", walk("answer", []), { isAwaited: true });
  expect(turns.waiting()).toBe(3);
  first.open();
  await Promise.all(running);
  expect(await answer).toBe("answer");
  expect(await turns.take("c", walk("later", []))).toBe("later");
  expect(turns.waiting()).toBe(0);
});
