import { expect, test } from "vitest";
import { featuresOf } from "./feature-kind.ts";

test("an answer shows its text, not its steps and not the prompt", () => {
  const feature = (mimeType: string) => ({ mimeType, tokens: [{ value: "x" }] });
  const shown = featuresOf({
    id: "1",
    speakerUri: "tag:workflow",
    span: { startTime: "2026-11-16T10:00:00Z" },
    features: {
      steps: feature("application/vnd.plenary.steps+json"),
      interaction: feature("application/vnd.plenary.interaction+json"),
      chart: feature("application/json"),
      text: feature("text/plain"),
    },
  });
  expect(shown.map(({ name }) => name)).toEqual(["text", "chart"]);
});
