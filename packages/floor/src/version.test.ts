import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { floorVersion, fold } from "./apply.ts";
import type { Entry } from "./entry.ts";
import { textFingerprint } from "./events/loop-guard.ts";
import { emptyFloor } from "./floor.ts";

/** The hash of each stored log after folding, by version of `apply`. Each version adds one log; they are never rewritten. */
const folded: Record<number, readonly string[]> = {
  1: ["f2a25c28d0170ed5762328364fed7f8e650b9602aebe80ce5efb10b08691fda6"],
  2: [
    "0d35f5ca578bff4ccc064de5a011cefcc44bf7d9f6ed96a718fbb3465d77da57",
    "aa59c183e56e2123f7f450114c3f7270a2561fe5bcb92634298b92c352184a00",
  ],
  3: [
    "0d35f5ca578bff4ccc064de5a011cefcc44bf7d9f6ed96a718fbb3465d77da57",
    "bd79501db5e7afb4d9fed1ea5633954ba3afb28355242bdcf8b626c86535efbb",
    "cb432bed3d91445fa661e6a2bd28007a3e662d391dacd228b02363c31ae6b1e8",
  ],
};

function logOf(version: number): Entry[] {
  return JSON.parse(readFileSync(new URL(`./testing/version-${version}.log.json`, import.meta.url), "utf8"));
}

test("stored logs of all versions fold into the known state of the present version", () => {
  const digests = Array.from({ length: floorVersion }, (_, index) => {
    return createHash("sha256")
      .update(JSON.stringify(fold("conv:1", logOf(index + 1))))
      .digest("hex");
  });
  expect(digests).toEqual(folded[floorVersion]);
});

test("fingerprints equal those in stored logs, so that a turn keeps its counts after an update", () => {
  const logged = [2, 3].flatMap(logOf).filter((entry) => entry.kind === "event");
  const marked = logged.filter(({ said }) => said !== undefined);
  expect(marked.length).toBeGreaterThan(5);
  for (const { event, sender, turn, depth, said } of marked) {
    const origin = { speakerUri: sender, turn, depth, causedBy: 0, withheld: [] };
    expect(textFingerprint(emptyFloor("conv:1"), event, origin)).toBe(said);
  }
});
