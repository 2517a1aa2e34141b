import { expect, test } from "vitest";
import { mediaKindOf } from "./media-type.ts";

test.each([
  ["image/png", "image"],
  [" Audio/OGG; codecs=opus", "audio"],
  ["video/mp4;x=image/png", "video"],
  ["text/plain", undefined],
  ["images/png", undefined],
  ["", undefined],
])("the media kind of %j is %s", (mimeType, kind) => {
  expect(mediaKindOf(mimeType)).toBe(kind);
});
