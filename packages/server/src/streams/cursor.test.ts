import { expect, test } from "vitest";
import { keyOfConversation, parseCursor, relayedKey, writeCursor } from "./cursor.ts";

test("a written cursor is parsed to the same cursor", () => {
  const cursor = new Map([
    [keyOfConversation("c1"), 7],
    [keyOfConversation("a longer name ~ with anything in it"), 123_456_789],
    [relayedKey, Date.UTC(2026, 0, 1)],
  ]);
  expect(parseCursor(writeCursor(cursor))).toEqual(cursor);
  expect(parseCursor("")).toEqual(new Map());
});

test.each(["!", "abc", "abcdefgh", "abcdefgh1~", "abcdefgh1~~abcdefgh2", "7"])("%j is not a cursor", (text) => {
  expect(() => parseCursor(text)).toThrow("the query parameter after");
});

test("a cursor of 500 conversations fits into a header", () => {
  const cursor = new Map(
    Array.from({ length: 500 }, (_, index) => [keyOfConversation(`c${index}`), 1_000_000 + index]),
  );
  expect(writeCursor(cursor).length).toBeLessThan(8_192);
});
