import { describe, expect, test } from "vitest";
import { attachmentOf, base64Max, bytesMax, stepsDown } from "./attachment-file.ts";

const file = (bytes: number, name: string, type: string) => new File([new Uint8Array(bytes)], name, { type });

describe("a file that is attached", () => {
  test("audio that fits becomes the audio feature, by the name the specification gives its type", async () => {
    const { name, featureName, feature } = await attachmentOf(file(6, "note.mp3", "audio/mp3"));
    expect({ name, featureName, feature }).toEqual({
      name: "note.mp3",
      featureName: "audio",
      feature: { mimeType: "audio/mpeg", tokens: [{ value: "AAAAAAAA", alt: "note.mp3" }] },
    });
  });

  test("an image that fits is sent as it is", async () => {
    const { feature, featureName, previewUrl } = await attachmentOf(file(3, "cat.png", "image/png"));
    expect([featureName, feature.mimeType, feature.tokens[0]?.value]).toEqual(["image", "image/png", "AAAA"]);
    expect(previewUrl).toMatch(/^blob:/u);
    URL.revokeObjectURL(previewUrl ?? "");
  });

  test("the largest allowed file fits into one envelope", async () => {
    const { feature } = await attachmentOf(file(bytesMax, "long.wav", "audio/wav"));
    expect(String(feature.tokens[0]?.value).length).toBeLessThanOrEqual(base64Max);
  });

  test.each([
    [file(bytesMax + 1, "long.wav", "audio/wav"), "long.wav is too large (450 kB). A recording may have up to 450 kB."],
    [file(5_000_000, "longer.wav", "audio/x-wav"), "longer.wav is too large (5.0 MB)"],
    [file(0, "empty.png", "image/png"), "empty.png is empty."],
    [file(9, "a.pdf", "application/pdf"), "a.pdf cannot be sent. Images (PNG, JPEG"],
    [file(9, "a.svg", "image/svg+xml"), "a.svg cannot be sent."],
    [file(9, "a", ""), "a cannot be sent."],
  ])("$name is refused with a reason", async (one, words) => {
    await expect(attachmentOf(one)).rejects.toThrow(words);
  });
});

describe("making a picture smaller", () => {
  test("starts with the largest size and only shrinks", () => {
    const steps = stepsDown(4000, 3000);
    expect(steps[0]).toEqual({ width: 2048, height: 1536, quality: 0.85 });
    expect(steps.at(-1)).toEqual({ width: 320, height: 240, quality: 0.7 });
    for (const [index, { width }] of steps.entries())
      expect(width).toBeLessThanOrEqual(steps[index - 1]?.width ?? 2048);
  });

  test("never enlarges, and keeps at least one pixel", () => {
    for (const { width, height } of stepsDown(300, 200)) expect([width, height]).toEqual([300, 200]);
    for (const { width, height } of stepsDown(1, 20_000)) expect(width === 1 && height <= 2048).toBe(true);
  });
});
