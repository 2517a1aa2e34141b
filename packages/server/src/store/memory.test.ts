import { test } from "vitest";
import { storeAcceptance } from "./acceptance/core.ts";
import { createMemoryStore } from "./memory.ts";

for (const { name, run } of storeAcceptance) test(name, () => run(createMemoryStore()));
