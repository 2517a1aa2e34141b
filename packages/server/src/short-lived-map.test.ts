import { expect, test } from "vitest";
import { ShortLivedMap } from "./short-lived-map.ts";

test("a passing map returns what was set last", () => {
  const map = new ShortLivedMap<{ name: string }>();
  map.set("a", { name: "first" });
  map.set("b", { name: "other" });
  map.set("a", { name: "second" });
  expect([map.get("a")?.name, map.get("b")?.name, map.size]).toEqual(["second", "other", 2]);
  expect([...map.values()].map(({ name }) => name)).toEqual(["second", "other"]);
});

test("a passing map forgets what was deleted", () => {
  const map = new ShortLivedMap<{ name: string }>();
  map.set("a", { name: "first" });
  map.delete("a");
  map.delete("never set");
  expect([map.get("a"), map.has("a"), map.size]).toEqual([undefined, false, 0]);
  map.set("a", { name: "again" });
  expect([map.get("a")?.name, map.has("a")]).toEqual(["again", true]);
});

test("values deleted while they are read are left out", () => {
  const map = new ShortLivedMap<{ name: string }>();
  for (const name of ["a", "b", "c"]) map.set(name, { name });
  const read: string[] = [];
  for (const { name } of map.values()) {
    read.push(name);
    map.delete("b");
  }
  expect(read).toEqual(["a", "c"]);
});
