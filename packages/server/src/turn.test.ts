import { expect, test } from "vitest";
import type { Problem } from "./errors.ts";
import { createTurns } from "./turn.ts";

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test("inputs of one conversation run one after the other, in the order they came", async () => {
  const turns = createTurns();
  const ran: string[] = [];
  const first = gate();
  const all = [
    turns.take("c", async () => {
      await first.opened;
      ran.push("first");
    }),
    turns.take("c", async () => {
      ran.push("second");
    }),
  ];
  await turns.take("another", async () => {
    ran.push("elsewhere");
  });
  expect(ran).toEqual(["elsewhere"]);
  first.open();
  await Promise.all(all);
  expect(ran).toEqual(["elsewhere", "first", "second"]);
});

test("an input that fails does not hold up the next", async () => {
  const turns = createTurns();
  const failing = turns.take("c", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await turns.take("c", async () => "yes")).toBe("yes");
});

test("when too much waits, callers are told to come back, but answers are still taken", async () => {
  const turns = createTurns({ perConversationMax: 1, totalMax: 10 });
  const first = gate();
  const running = turns.take("c", () => first.opened);
  await expect(turns.take("c", async () => "more")).rejects.toMatchObject({ code: "busy" } satisfies Partial<Problem>);
  const answer = turns.take("c", async () => "answer", { isAwaited: true });
  first.open();
  await running;
  expect(await answer).toBe("answer");
  expect(await turns.take("c", async () => "later")).toBe("later");
});
