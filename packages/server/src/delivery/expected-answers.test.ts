import { expect, test } from "vitest";
import { createExpectedAnswers } from "./expected-answers.ts";

test("only the first answer to an open delivery is taken", () => {
  const answers = createExpectedAnswers();
  expect(answers.take("d1")).toBe(false);
  const close = answers.open("d1");
  expect([answers.take("d1"), answers.take("d1"), answers.take("d2")]).toEqual([true, false, false]);
  close();
  expect(answers.take("d1")).toBe(false);
});

test("a delivery stays open until every waiter has ended, each counted once", () => {
  const answers = createExpectedAnswers();
  const [outbox, socket] = [answers.open("d1"), answers.open("d1")];
  socket();
  socket();
  expect(answers.take("d1")).toBe(true);
  outbox();
  expect(answers.take("d1")).toBe(false);
  // It is sent again, so its answer is expected again.
  const again = answers.open("d1");
  outbox();
  expect(answers.take("d1")).toBe(true);
  again();
});
