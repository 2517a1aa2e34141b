import { expect, test } from "vitest";
import type { Recipient } from "./composer-text.ts";
import { suggest } from "./suggestions.tsx";

const person = (name: string): Recipient => ({
  speakerUri: `tag:${name}`,
  name,
  kind: "agent",
  identification: {
    speakerUri: `tag:${name}`,
    serviceUrl: "https://a.example/",
    organization: "Example",
    conversationalName: name,
    synopsis: "",
  },
});
const people = [person("Echo"), person("Echo Bot"), person("Ben")];
const labels = (text: string, caret = text.length) =>
  suggest(text, caret, people)?.list.map((one) => (one.kind === "person" ? one.person.name : one.command.name));

test("an @ lists all recipients, and each letter narrows the list", () => {
  expect(labels("hi @")).toEqual(["Echo", "Echo Bot", "Ben"]);
  expect(labels("hi @ec")).toEqual(["Echo", "Echo Bot"]);
  expect(labels("hi @bo")).toEqual(["Echo Bot"]);
  expect(labels("hi @xy")).toBeUndefined();
});

test("a complete name closes the list, unless a longer name matches", () => {
  expect(labels("hi @ben")).toBeUndefined();
  expect(labels("hi @echo")).toEqual(["Echo", "Echo Bot"]);
  expect(labels("hi @echo bot")).toBeUndefined();
  expect(labels("hi @ben ")).toBeUndefined();
});

test("a slash at the start lists commands", () => {
  expect(labels("/le")).toEqual(["leave"]);
  expect(labels("//")).toBeUndefined();
});

test("the position of the sign is returned, so that choosing replaces the typed text", () => {
  expect(suggest("hi @ec there", 6, people)).toMatchObject({ start: 3, query: "ec" });
});
