import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserStorage, clearPersonalData, storageKey, tabStorage } from "./storage.ts";

const ann = "tag:ann.example,2026:1";
const annToo = "tag:ann.example,2026:1/too";

class Rows implements Storage {
  readonly #rows = new Map<string, string>();
  get length() {
    return this.#rows.size;
  }
  key = (index: number) => [...this.#rows.keys()][index] ?? null;
  getItem = (key: string) => this.#rows.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#rows.set(key, value);
  removeItem = (key: string) => void this.#rows.delete(key);
  clear = () => this.#rows.clear();
}

let session: Rows;
let local: Rows;

beforeEach(() => {
  session = new Rows();
  local = new Rows();
  vi.stubGlobal("sessionStorage", session);
  vi.stubGlobal("localStorage", local);
});

afterEach(() => vi.unstubAllGlobals());

test("a stored value is read by its key, and is undefined after removal", () => {
  tabStorage.put("a", { x: [1] });
  expect(tabStorage.read("a")).toEqual({ x: [1] });
  expect(session.key(0)).toBe("plenary a");
  expect(browserStorage.read("a")).toBeUndefined();
  tabStorage.put("a", undefined);
  expect([tabStorage.read("a"), session.length]).toEqual([undefined, 0]);
});

test("a value above the limit is not stored, and removes the old one", () => {
  tabStorage.put("a", "short", 10);
  tabStorage.put("a", "much too long", 10);
  expect(tabStorage.read("a")).toBeUndefined();
});

test("invalid JSON in storage reads as undefined", () => {
  session.setItem("plenary a", "{");
  expect(tabStorage.read("a")).toBeUndefined();
});

test("without browser storage nothing is stored and nothing throws", () => {
  vi.stubGlobal("sessionStorage", undefined);
  tabStorage.put("a", 1);
  tabStorage.remove("a");
  clearPersonalData(ann);
  expect(tabStorage.read("a")).toBeUndefined();
});

test("all data of one person can be removed without touching other people's", () => {
  const keys = [
    storageKey("draft", ann, "c 1"),
    storageKey("answer", ann, "c", 7),
    storageKey("draft", annToo, "c"),
    "settings",
  ];
  for (const shelf of [tabStorage, browserStorage]) for (const key of keys) shelf.put(key, "words");
  local.setItem(`other ${ann}`, "not ours");
  clearPersonalData(ann);
  for (const shelf of [tabStorage, browserStorage])
    expect(keys.map((key) => shelf.read(key))).toEqual([undefined, undefined, "words", "words"]);
  expect(local.getItem(`other ${ann}`)).toBe("not ours");
});
