import { expect, test } from "vitest";
import { createOpenAnswers } from "./expected-answers.ts";

test("the first answer to an open delivery is free, and no other", () => {
  const answers = createOpenAnswers();
  expect(answers.take("d1")).toBe(false);
  const close = answers.open("d1");
  expect([answers.take("d1"), answers.take("d1"), answers.take("d2")]).toEqual([true, false, false]);
  close();
  expect(answers.take("d1")).toBe(false);
});

test("a delivery stays open until all that wait for its answer have ended, each once", () => {
  const answers = createOpenAnswers();
  const [outbox, socket] = [answers.open("d1"), answers.open("d1")];
  socket();
  socket();
  expect(answers.take("d1")).toBe(true);
  outbox();
  expect(answers.take("d1")).toBe(false);
  // It is sent again: its answer is free again.
  const again = answers.open("d1");
  outbox();
  expect(answers.take("d1")).toBe(true);
  again();
});
