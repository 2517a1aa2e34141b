import { expect, test } from "vitest";
import { lookalikeKey, nameOf } from "./display-names.ts";

test.each([
  ["tag:echo.example,2025:parrot", "parrot"],
  ["http://127.0.0.1:9", "127.0.0.1:9"],
  ["https://agent.example/openfloor/", "agent.example/openfloor"],
  ["https://agent.example/?key=1", "agent.example"],
])("%s without a name is shown as %s", (speakerUri, name) => {
  expect(nameOf(speakerUri, undefined)).toBe(name);
});

test.each([
  ["\u0421lock", "Clock"],
  ["\u0412\u043eb", "bob"],
  ["\u0391nn\u0430", "ANNA"],
])("%j and %j have the same lookalike key", (one, other) => {
  expect(lookalikeKey(one)).toBe(lookalikeKey(other));
});

test("different names in another script have different lookalike keys", () => {
  expect(lookalikeKey("\u041e\u043b\u044c\u0433\u0430")).not.toBe(lookalikeKey("\u041e\u043b\u0435\u0433"));
});
