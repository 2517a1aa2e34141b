import { checkDocument } from "@plenary/protocol";
import { expect, test } from "vitest";
import { mint, textOf } from "./case.ts";
import { positiveCases } from "./cases/flawless.ts";

for (const positive of positiveCases) {
  test(positive.name, () => {
    expect(checkDocument(textOf(positive), mint)).toMatchObject({ valid: true, issues: [] });
  });
}
