// Two machines that both call themselves localhost must not share names: logs, loops and guests are distinguished by them.
import { createMemoryStore, type FloorServerOptions, type FloorStore } from "@plenary/server";
import { expect, test } from "vitest";
import { startTestFloor } from "../support/start-test-floor.ts";

/** Starts a floor on this store, asks for its name, and stops it. */
async function floorOn(store: FloorStore, options: FloorServerOptions = {}) {
  const floor = await startTestFloor({ store: { ...store, close: async () => {} }, ...options });
  const { speakerUri: name } = (await floor.must("GET", "/api/v1/me")).floor;
  const { speakerUri: host } = await floor.must("POST", "/api/v1/sessions", {});
  await floor.close();
  return { name, host, logged: floor.logged.filter(({ level }) => level !== "info") };
}

test("two floors without a configured name differ, and so do the people named after them", async () => {
  const [one, two] = [await floorOn(createMemoryStore()), await floorOn(createMemoryStore())];
  const year = new Date().getUTCFullYear();
  for (const { name, host } of [one, two]) {
    expect(name).toMatch(new RegExp(`^tag:localhost,${year}:plenary-[0-9a-f]{12}$`, "u"));
    expect(host).toBe(`${name}/host`);
  }
  expect(one.name).not.toBe(two.name);
});

test("a floor with a public address contains the name of its host in its own", async () => {
  const { name } = await floorOn(createMemoryStore(), { publicUrl: "https://floor.example" });
  expect(name).toMatch(/^tag:floor\.example,\d{4}:plenary-[0-9a-f]{12}$/u);
});

test("a store keeps the name that its floor generated at the first start", async () => {
  const store = createMemoryStore();
  const first = await floorOn(store);
  expect(await floorOn(store)).toEqual({ ...first, logged: [] });
});

test("a store of an older version keeps the name without a random part", async () => {
  const store = createMemoryStore();
  await store.settings.keep("speakerUri", "tag:localhost,2025:plenary");
  expect((await floorOn(store)).name).toBe("tag:localhost,2025:plenary");
});

test("a configured name is used unchanged, and kept", async () => {
  const store = createMemoryStore();
  const speakerUri = "tag:us.example,2026:our-floor";
  expect((await floorOn(store, { speakerUri })).name).toBe(speakerUri);
  expect((await floorOn(store)).name).toBe(speakerUri);
});

test("a configured name does not rename a floor that has conversations, and the operator is warned", async () => {
  const store = createMemoryStore();
  const { name } = await floorOn(store);
  const again = await floorOn(store, { speakerUri: "tag:us.example,2026:our-floor" });
  expect(again.name).toBe(name);
  const about = { speakerUri: name, given: "tag:us.example,2026:our-floor" };
  expect(again.logged).toMatchObject([{ level: "warn", message: expect.stringContaining("not used"), fields: about }]);
});
