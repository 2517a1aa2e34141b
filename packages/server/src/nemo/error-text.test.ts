import { expect, test } from "vitest";
import { Problem } from "../errors.ts";
import { errorOf, sentenceOf } from "./error-text.ts";

const server = { onError: () => {}, ids: { newId: () => "id", random: () => 0 } };

const words = (problem: Problem) => sentenceOf(errorOf(problem, server));

test("a parsed message that cannot be sent has a title of its own", () => {
  const problem = new Problem("bad-request", { detail: "nobody here is called so", fix: 'here are "Clock"' });
  expect(words(problem)).toBe('This message cannot be taken: nobody here is called so: here are "Clock"');
});

test("the error for invalid JSON says so once", () => {
  const problem = new Problem("bad-json", { detail: "this is not JSON: Unexpected end of JSON input" });
  expect(words(problem)).toMatch(/^The body is not JSON: Unexpected end of JSON input: send one JSON object/u);
});
