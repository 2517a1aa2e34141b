import fc from "fast-check";
import { expect, test } from "vitest";
import { piecesOf } from "./inline-markdown.ts";

test.each([
  ["Hello, I am **Guide**.", [{ text: "Hello, I am " }, { text: "Guide", tag: "strong" }, { text: "." }]],
  ["*once*, `1 + 1`", [{ text: "once", tag: "em" }, { text: ", " }, { text: "1 + 1", tag: "code" }]],
  [
    "see [the docs](https://a.example/x?y=1)!",
    [{ text: "see " }, { text: "the docs", tag: "a", url: "https://a.example/x?y=1" }, { text: "!" }],
  ],
  ["a ** b, 2*3*4, * x *, snake_case, **open", [{ text: "a ** b, 2*3*4, * x *, snake_case, **open" }]],
  ["[x](javascript:alert(1)) [y](/z) <b>c</b>", [{ text: "[x](javascript:alert(1)) [y](/z) <b>c</b>" }]],
  ["", []],
])("%j", (text, pieces) => expect(piecesOf(text)).toEqual(pieces));

test("no word is lost, whatever the text", () => {
  const marks = fc.constantFrom("*", "**", "`", "[", "](https://a.example/", ")", "\n", " ", "word", "é");
  const bare = (text: string) => text.replaceAll(/[^\wé]/gu, "");
  fc.assert(
    fc.property(fc.string({ unit: marks, maxLength: 60 }), (text) => {
      expect(
        bare(
          piecesOf(text)
            .map((piece) => piece.text + (piece.url ?? ""))
            .join(""),
        ),
      ).toBe(bare(text));
    }),
  );
});
