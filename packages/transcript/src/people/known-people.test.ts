import { expect, test, vi } from "vitest";
import type { Identification } from "../transcript.ts";
import { createKnownPeople } from "./known-people.ts";

function person(speakerUri: string, conversationalName = speakerUri): Identification {
  return { speakerUri, conversationalName } as Identification;
}

test("look keeps the same map if no identification changed", () => {
  const people = createKnownPeople();
  people.look([person("tag:a", "Ann"), person("tag:b", "Bob")]);
  const before = people.all();
  people.look([person("tag:a", "Ann"), person("tag:b", "Bob")]);
  expect(people.all()).toBe(before);
  people.look([person("tag:a", "Anna"), person("tag:b", "Bob")]);
  expect(people.all()).not.toBe(before);
  expect(people.all().get("tag:a")?.conversationalName).toBe("Anna");
  expect(before.get("tag:a")?.conversationalName).toBe("Ann");
});

test("look at a thousand conversants builds one map, not one for each of them", () => {
  const people = createKnownPeople();
  const crowd = Array.from({ length: 1_000 }, (_, number) => person(`tag:${number}`));
  const set = vi.spyOn(Map.prototype, "set");
  people.look(crowd);
  people.all();
  const written = set.mock.calls.length;
  set.mockRestore();
  expect(people.all().size).toBe(1_000);
  expect(written).toBeLessThan(5_000);
});

test("new facts about a conversant also apply to its former names", () => {
  const people = createKnownPeople();
  people.hear(person("https://echo.example", "echo.example"));
  people.hear(person("tag:echo", "Echo"), "https://echo.example");
  people.look([person("tag:echo", "Echo the second")]);
  expect(people.all().get("https://echo.example")?.conversationalName).toBe("Echo the second");
});

test("people from the log come before people known only from the floor", () => {
  const people = createKnownPeople();
  people.look([person("tag:late", "Ann")]);
  people.hear(person("tag:early", "Ann"));
  expect([...people.all().keys()]).toEqual(["tag:early", "tag:late"]);
});
