import { emptyFloor } from "@plenary/floor";
import { expect, test } from "vitest";
import type { FloorStore } from "../ports/store.ts";
import { withStoreErrors } from "./errors.ts";
import { createMemoryStore } from "./memory.ts";

const range = { after: 0, limit: 1 };
const wrapped = { code: "store-failed", retryable: true, message: "the store has failed" };

function storeWith(log: Partial<FloorStore["log"]>): FloorStore {
  const store = createMemoryStore();
  return withStoreErrors({ ...store, log: { ...store.log, ...log } });
}

test("a value stays a value, and a promise a promise", async () => {
  const floor = emptyFloor("c");
  expect(storeWith({ load: () => floor }).log.load("c")).toBe(floor);
  const promised = storeWith({ load: async () => floor }).log.load("c");
  expect(promised).toBeInstanceOf(Promise);
  expect(await promised).toBe(floor);
});

test("a throw and a rejection become a StoreError without the text of the cause", async () => {
  const cause = new Error("ENOSPC: /secret/place/floor.db");
  const fail = (): never => {
    throw cause;
  };
  const { log } = storeWith({ load: fail, entries: () => Promise.reject(cause) });
  expect(() => log.load("c")).toThrow(expect.objectContaining({ ...wrapped, cause }));
  await expect(log.entries("c", range)).rejects.toMatchObject({ ...wrapped, cause });
});

test("every method of every port is wrapped", async () => {
  const { ready, close, figures, ...ports } = createMemoryStore();
  const broken = Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, failing(port)]),
  ) as unknown as typeof ports;
  const store: Record<string, unknown> = withStoreErrors({ ...broken, ready, close });
  for (const [name, port] of Object.entries(ports)) {
    for (const method of Object.keys(port)) {
      const methods = store[name] as Record<string, () => Promise<unknown>>;
      await expect(methods[method]?.(), `${name}.${method}`).rejects.toMatchObject(wrapped);
    }
  }
});

function failing(port: object): object {
  const reject = () => Promise.reject(new Error("broken"));
  return Object.fromEntries(Object.keys(port).map((method) => [method, reject]));
}
