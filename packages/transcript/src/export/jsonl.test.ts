import { expect, test } from "vitest";
import { birds } from "../testing/sample-conversation.ts";
import { jsonlLine, jsonlOf } from "./jsonl.ts";

test("the export has a header and one line for each entry, each a JSON value", () => {
  const [header, ...entries] = jsonlOf(birds)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(header).toEqual({ plenary: "conversation", version: 1, id: "c1", title: "Birds", readAs: birds.readAs });
  expect(entries).toEqual(birds.entries);
});

test("control characters are escaped without loss", () => {
  const value = { text: "\u001b[2J\u009b1m\u202etxt\u2028 \n ü" };
  const line = jsonlLine(value);
  expect(line).toMatch(/^[ -~ü]+\n$/u);
  expect(JSON.parse(line)).toEqual(value);
});
