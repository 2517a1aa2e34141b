import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fold } from "./apply.ts";
import type { Entry } from "./entry.ts";
import { floorVersion } from "./version.ts";

/** What this log, written once and never again, folds into, by the version of `apply`. */
const folded: Record<number, string> = {
  1: "f2a25c28d0170ed5762328364fed7f8e650b9602aebe80ce5efb10b08691fda6",
};

test("a log that was written long ago folds into what its snapshots hold, or the version says otherwise", () => {
  const file = new URL("./testing/version-1.log.json", import.meta.url);
  const log: Entry[] = JSON.parse(readFileSync(file, "utf8"));
  const floor = JSON.stringify(fold("conv:1", log));
  expect(createHash("sha256").update(floor).digest("hex")).toBe(folded[floorVersion]);
});
