import { expect, test } from "vitest";
import { attachmentFeatures } from "./attachments.tsx";

test("each file is its own feature, even of the same kind", () => {
  const image = (value: string) => ({
    featureName: "image" as const,
    feature: { mimeType: "image/png", tokens: [{ value }] },
  });
  const audio = { featureName: "audio" as const, feature: { mimeType: "audio/wav", tokens: [{ value: "c" }] } };
  const features = attachmentFeatures([image("a"), audio, image("b"), image("d")]);
  expect(Object.keys(features ?? {})).toEqual(["image", "audio", "image-2", "image-3"]);
  expect(features?.["image-2"]?.tokens).toEqual([{ value: "b" }]);
});
