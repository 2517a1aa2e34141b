import { expect, test } from "vitest";
import { textFileOf } from "./features.tsx";

const feature = (alt: unknown, value: unknown = "# Words") => ({
  mimeType: "text/markdown",
  tokens: [{ value, alt } as { value: string }],
});

test("a token named like a text file is a file", () => {
  expect(textFileOf("transcript", feature("transcript.md"))).toEqual({ name: "transcript.md", text: "# Words" });
  expect(textFileOf("transcript", feature("Sitzung 3.jsonl"))?.name).toBe("Sitzung 3.jsonl");
});

test.each([
  "x.html",
  "x.HTM",
  "x.svg",
  "x.xhtml",
  "x.js",
  "x.md.html",
  "setup.exe",
  "../../x.md",
  "a/b.md",
  "x.html.scr",
  ".md",
  "",
  "x".repeat(99),
  7,
  undefined,
  "a\u202e.md",
])("a token named %s is not a file", (alt) => {
  expect(textFileOf("transcript", feature(alt))).toBeUndefined();
});

test("text features and values that are no strings are no files", () => {
  for (const name of ["text", "html", "ssml"]) expect(textFileOf(name, feature("x.md"))).toBeUndefined();
  expect(textFileOf("transcript", feature("x.md", { a: 1 }))).toBeUndefined();
  const [token] = feature("x.md").tokens;
  expect(textFileOf("transcript", { mimeType: "text/plain", tokens: [token, token].flatMap((one) => one ?? []) })).toBe(
    undefined,
  );
});
