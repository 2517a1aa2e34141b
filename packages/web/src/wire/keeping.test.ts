import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserShelf, forgetPerson, keyOf, tabShelf } from "./keeping.ts";

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

test("what was put is found under its name, and nothing once it is taken away", () => {
  tabShelf.put("a", { x: [1] });
  expect(tabShelf.read("a")).toEqual({ x: [1] });
  expect(session.key(0)).toBe("plenary a");
  expect(browserShelf.read("a")).toBeUndefined();
  tabShelf.put("a", undefined);
  expect([tabShelf.read("a"), session.length]).toEqual([undefined, 0]);
});

test("more than is allowed is not kept, nor what was there before it", () => {
  tabShelf.put("a", "short", 10);
  tabShelf.put("a", "much too long", 10);
  expect(tabShelf.read("a")).toBeUndefined();
});

test("somebody else's words are nothing", () => {
  session.setItem("plenary a", "{");
  expect(tabShelf.read("a")).toBeUndefined();
});

test("a browser without storage keeps nothing, and nothing breaks", () => {
  vi.stubGlobal("sessionStorage", undefined);
  tabShelf.put("a", 1);
  tabShelf.remove("a");
  forgetPerson(ann);
  expect(tabShelf.read("a")).toBeUndefined();
});

test("all that is kept for a person can be forgotten, and nobody else's", () => {
  const keys = [keyOf("draft", ann, "c 1"), keyOf("answer", ann, "c", 7), keyOf("draft", annToo, "c"), "settings"];
  for (const shelf of [tabShelf, browserShelf]) for (const key of keys) shelf.put(key, "words");
  local.setItem(`other ${ann}`, "not ours");
  forgetPerson(ann);
  for (const shelf of [tabShelf, browserShelf])
    expect(keys.map((key) => shelf.read(key))).toEqual([undefined, undefined, "words", "words"]);
  expect(local.getItem(`other ${ann}`)).toBe("not ours");
});
