import { describe, expect, test } from "vitest";
import { type AnnouncerTime, createAnnouncer, shortened } from "./create-announcer.ts";

/** A clock that the test advances. */
function clock() {
  let nowMs = 0;
  let due: { atMs: number; call: () => void }[] = [];
  const time: AnnouncerTime = {
    nowMs: () => nowMs,
    after: (delayMs, call) => {
      const timer = { atMs: nowMs + delayMs, call };
      due.push(timer);
      return () => {
        due = due.filter((other) => other !== timer);
      };
    },
  };
  function pass(ms: number): void {
    const untilMs = nowMs + ms;
    for (;;) {
      const next = due.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      due = due.filter((other) => other !== next);
      nowMs = next.atMs;
      next.call();
    }
    nowMs = untilMs;
  }
  return { time, pass };
}

describe("the announcer", () => {
  test("announces the first sentence at once and the next after a pause", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    announcer.announce("Ada joined");
    announcer.announce("Bob joined");
    expect(announcer.log()).toEqual(["Ada joined"]);
    pass(899);
    expect(announcer.log()).toEqual(["Ada joined"]);
    pass(1);
    expect(announcer.log()).toEqual(["Ada joined", "Bob joined"]);
  });

  test("announces equal sentences once while one is waiting or was just announced", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    for (const sentence of ["Ada joined", "Ada joined", "Bob left", "Bob left"]) announcer.announce(sentence);
    pass(10_000);
    expect(announcer.log()).toEqual(["Ada joined", "Bob left"]);
  });

  test("announces the same sentence again later", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    announcer.announce("Ada is answering");
    const first = announcer.spoken();
    pass(2_000);
    announcer.announce("Ada is answering");
    expect(announcer.log()).toHaveLength(2);
    expect(announcer.spoken()?.id).not.toBe(first?.id);
  });

  test("drops the oldest quiet sentences when more than five wait", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    announcer.announce("now");
    announcer.announce("You have the floor");
    for (const number of [1, 2, 3, 4, 5, 6]) announcer.announce(`quiet ${number}`, "quiet");
    pass(60_000);
    expect(announcer.log()).toEqual(["now", "You have the floor", "quiet 3", "quiet 4", "quiet 5", "quiet 6"]);
  });

  test("keeps at most twenty sentences waiting", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    for (let number = 0; number <= 100; number += 1) announcer.announce(`sentence ${number}`);
    pass(600_000);
    expect(announcer.log()).toHaveLength(21);
    expect(announcer.log().at(-1)).toBe("sentence 100");
  });

  test("logs the last fifty", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    for (let number = 0; number < 60; number += 1) {
      announcer.announce(`sentence ${number}`);
      pass(1_000);
    }
    expect(announcer.log()).toHaveLength(50);
    expect(announcer.log()[0]).toBe("sentence 10");
  });

  test("notifies listeners until they unsubscribe", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    const heard: (string | undefined)[] = [];
    const leave = announcer.subscribe(() => heard.push(announcer.spoken()?.sentence));
    announcer.announce("one");
    announcer.announce("two");
    pass(900);
    leave();
    announcer.announce("three");
    pass(900);
    expect(heard).toEqual(["one", "two"]);
  });

  test("is silent after it was stopped", () => {
    const { time, pass } = clock();
    const announcer = createAnnouncer(time);
    announcer.announce("one");
    announcer.announce("two");
    announcer.stop();
    pass(10_000);
    expect(announcer.log()).toEqual(["one"]);
  });

  test("ignores an empty sentence", () => {
    const announcer = createAnnouncer(clock().time);
    announcer.announce("  \n ");
    expect(announcer.log()).toEqual([]);
  });

  test("cuts a sentence to 300 characters", () => {
    const announcer = createAnnouncer(clock().time);
    announcer.announce("word ".repeat(200));
    const [sentence = ""] = announcer.log();
    expect(sentence.length).toBeLessThanOrEqual(300);
    expect(sentence.endsWith("word…")).toBe(true);
  });
});

test("a text without spaces is cut between characters, not inside of one", () => {
  expect(shortened("🙂".repeat(10), 8)).toBe("🙂🙂🙂…");
});
