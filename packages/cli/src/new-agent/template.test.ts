import { expect, test } from "vitest";
import { isName, nameAfter, nameMax } from "./template.ts";

test.each([
  ["my-agent", "My Agent", "my-agent"],
  ["Café Größe", "Café Größe", "cafe-gro-e"],
  ["weather_bot.v2", "Weather Bot V2", "weather-bot-v2"],
  ["агент", "Агент", "agent"],
  ["@@@", "Agent", "agent"],
  ["a\u202eb\nc", "A B C", "a-b-c"],
  ["--help", "Help", "help"],
])("an agent in %j is called %s, and %s where only plain letters go", (folder, name, slug) => {
  expect(nameAfter(`/somewhere/${folder}`)).toEqual({ name, slug });
});

test("names of any length become valid slugs", () => {
  const { name, slug } = nameAfter(`/somewhere/${"long ".repeat(100)}`);
  expect(isName(name)).toBe(true);
  expect(slug).toMatch(/^long(?:-long)*(?:-lo?n?)?$/u);
});

test("a given name is used, also for the package when the folder name has no letters", () => {
  expect(nameAfter("/somewhere/bot", "Travel Agent")).toEqual({ name: "Travel Agent", slug: "bot" });
  expect(nameAfter("/somewhere/агент", "Travel Agent")).toEqual({ name: "Travel Agent", slug: "travel-agent" });
});

test.each(["", " ", "...", " Ann", "Ann\u0007", "Ann\nBob", "Ann\u202eBob", "x".repeat(nameMax + 1)])(
  "%j is no name",
  (text) => {
    expect(isName(text)).toBe(false);
  },
);
