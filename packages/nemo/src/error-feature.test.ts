import { expect, test } from "vitest";
import { errorFeature, errorIn } from "./error-feature.ts";

const error = { code: "workflow_error", message: "ValueError", details: "boom" } as const;

test("what is written is read again, under whatever name", () => {
  expect(errorIn({ error: errorFeature(error) })).toEqual(error);
  expect(errorIn({ trouble: errorFeature(error) })).toEqual(error);
});

test("a feature of another type is no error, whatever its name", () => {
  expect(errorIn({ error: { mimeType: "text/plain", tokens: [{ value: "boom" }] } })).toBeUndefined();
  expect(errorIn({})).toBeUndefined();
  expect(errorIn({ error: { ...errorFeature(error), tokens: [] } })).toBeUndefined();
});
