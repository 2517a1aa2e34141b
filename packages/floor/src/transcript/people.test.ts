import { expect, test } from "vitest";
import { nameOf } from "./people.ts";

test.each([
  ["tag:echo.example,2025:parrot", "parrot"],
  ["http://127.0.0.1:9", "127.0.0.1:9"],
  ["https://agent.example/openfloor/", "agent.example/openfloor"],
  ["https://agent.example/?key=1", "agent.example"],
])("%s, while it has no name, is called %s", (speakerUri, name) => {
  expect(nameOf(speakerUri, undefined)).toBe(name);
});
