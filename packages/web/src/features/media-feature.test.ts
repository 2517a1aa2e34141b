import { describe, expect, test } from "vitest";
import { bytesOf, fileNameOf, inlineBytesMax, mediaOf } from "./media-feature.tsx";

const problemOf = (media: ReturnType<typeof mediaOf>) => (media.at === "nowhere" ? media.problem : undefined);

describe("where the bytes of a token are", () => {
  test("base64 is inline, also with spaces and in the URL alphabet", () => {
    expect(mediaOf({ value: "AAEC\n Aw==" }, "audio/wav", "audio")).toEqual({
      at: "here",
      mimeType: "audio/wav",
      base64: "AAECAw==",
    });
    expect(mediaOf({ value: "-_-_" }, "image/png; q=1", "image")).toEqual({
      at: "here",
      mimeType: "image/png",
      base64: "+/+/",
    });
  });

  test("a data URL is inline, with its own type", () => {
    expect(mediaOf({ valueUrl: "data:image/gif;base64,R0lG" }, "image/png", "image")).toMatchObject({
      mimeType: "image/gif",
      base64: "R0lG",
    });
    expect(mediaOf({ value: "data:audio/ogg;codecs=opus;base64,T2dn" }, "audio/wav", "audio")).toMatchObject({
      mimeType: "audio/ogg",
    });
  });

  test("a URL is external", () => {
    expect(mediaOf({ valueUrl: "https://ann.example/a.mp3" }, "audio/mpeg", "audio")).toMatchObject({
      at: "elsewhere",
    });
  });

  test.each([
    ["audio", "text/html", { value: "AAAA" }, "text/html"],
    ["image", "image/tiff", { value: "AAAA" }, "image/tiff"],
    ["image", "text/html", { value: "data:text/html;base64,PHNjcmlwdD4=" }, "text/html"],
    ["image", "image/png", { value: "data:text/html,<script>" }, "unknown"],
    ["audio", "audio/wav", { value: "not base64!" }, "damaged"],
    ["audio", "audio/wav", { value: "AAAAA" }, "damaged"],
    ["audio", "audio/wav", { value: "" }, "damaged"],
    ["image", "image/png", { value: "A".repeat(inlineBytesMax * 2) }, "too large"],
    ["audio", "audio/wav", { valueUrl: "javascript:alert(1)" }, "address"],
    ["audio", "audio/wav", { valueUrl: "blob:https://ann.example/1" }, "address"],
    ["audio", "audio/wav", { value: { bytes: 1 } }, "not in a form"],
  ] as const)("%s %s is refused with a reason", (kind, mimeType, token, words) => {
    const problem = problemOf(mediaOf(token, mimeType, kind));
    expect(problem).toContain(words);
  });

  test("decoding returns the encoded bytes", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(bytesOf(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
    expect(bytesOf("AA")).toEqual(new Uint8Array(1));
  });

  test.each([
    ["audio", "audio/mpeg", "audio.mp3"],
    ["../../etc/passwd", "image/svg+xml", "-etc-passwd.svg"],
    ["", "image/jpeg", "feature.jpg"],
    ["my voice", "audio/constructor", "my voice.constructo"],
  ])("%j %s is downloaded as %s", (name, mimeType, fileName) => expect(fileNameOf(name, mimeType)).toBe(fileName));
});
