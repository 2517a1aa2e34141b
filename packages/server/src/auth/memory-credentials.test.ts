import { test } from "vitest";
import { credentialAcceptance } from "./acceptance.ts";
import { createMemoryCredentials } from "./memory-credentials.ts";

for (const { name, run } of credentialAcceptance) test(name, () => run(createMemoryCredentials()));
