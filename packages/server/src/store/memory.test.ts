import { expect, test } from "vitest";
import { ann, openConversation } from "./acceptance/fixture.ts";
import { storeAcceptance } from "./acceptance/store.ts";
import { createMemoryStore } from "./memory.ts";

for (const { name, run } of storeAcceptance) test(name, () => run(createMemoryStore()));

test("a conversation and its lookups are returned without a promise", async () => {
  const store = createMemoryStore();
  const floor = await openConversation(store, "c");
  expect(store.log.load("c")).toEqual(floor);
  expect(store.lookups.seen("c", [{ sender: ann, dialogEventId: "u" }])).toEqual([[]]);
  expect(store.lookups.request({ caller: "operator", key: "k" })).toBeUndefined();
});
