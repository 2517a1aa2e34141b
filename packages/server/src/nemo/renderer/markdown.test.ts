import fc from "fast-check";
import { expect, test } from "vitest";
import { SafeText } from "./markdown.ts";

const isTaken = (name: string) => name === "Fox";

function safe(...pieces: string[]): string {
  const text = new SafeText(isTaken);
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
}

test.each([
  ["a <b>bold</b> word", "a &lt;b>bold&lt;/b> word"],
  ["<!-- a comment -->", "&lt;!-- a comment -->"],
  ["1 < 2, a<3 and x <- y", "1 < 2, a<3 and x <- y"],
  ["see <https://example.org/a?b=1> for it", "see <https://example.org/a?b=1> for it"],
  ["<https://example.org onclick=x>", "&lt;https://example.org onclick=x>"],
  ["**bold** and [a link](https://example.org)", "**bold** and [a link](https://example.org)"],
  ["[a](https://example.org/x) and `<b>`", "[a](https://example.org/x) and `<b>`"],
  ["say `<b>` or ``a ` <i>``", "say `<b>` or ``a ` <i>``"],
  ["an escaped \\<b> is itself", "an escaped &lt;b> is itself"],
  ["![a](https://example.org/a.png)", "\\![a](https://example.org/a.png)"],
  ["see ![a][b]! And \\![c](d), \\\\![e](f)", "see \\![a][b]! And \\![c](d), \\\\\\![e](f)"],
  ["`![a](b)` is code", "`![a](b)` is code"],
  [
    "&nbsp;**F&#111;x:** &lt; &amp; A&B; \\&nbsp; ?a=1&b=2",
    "&amp;nbsp;**F&amp;#111;x:** &lt; &amp; A&amp;B; \\&nbsp; ?a=1&b=2",
  ],
])("%s becomes %s", (text, output) => {
  expect(safe(text)).toBe(output);
  expect(safe(...text)).toBe(output);
});

test("a code block stays unchanged, and the text after it is escaped", () => {
  const listing = "```html\n<b>x</b>\n\n<i>\n```\n";
  expect(safe(`${listing}<b>`)).toBe(`${listing}&lt;b>`);
  expect(safe("~~~\n```\n<b>\n~~~\n<b>")).toBe("~~~\n```\n<b>\n~~~\n&lt;b>");
});

test("an open code block is closed at the end", () => {
  expect(safe("````\n<b>")).toBe("````\n<b>\n````\n");
});

test.each([
  // The backtick of the first line pairs with one of the second, so the tag is outside code.
  "one ` here\nand ` <b> ` there",
  // In a table a code span ends with its cell.
  "| `a | <b>` |",
  "\\`<b>`",
  "$ ` $ <b> `",
  // A code block in a list may end before its fence.
  "- x\n  ```\nout <b>\n  ```\n",
  "- ```\n  a\n\nout <b>\n",
  "$$\n```\n$$\n<b>\n```\n",
  "```a`b\n<b>\n",
  // A URL continues to the next space, over backticks too.
  "https://example.org/`<b>`",
  "www.example.org`<b>`",
  // Parsers read link targets before code.
  "[a](`)<b>`",
  '[a](u "x) `")<b>`',
  "[a][`]<b>`\n\n[`]: u",
  "[^`]<b>`",
])("text that only some Markdown parsers read as code is escaped: %j", (text) => {
  expect(safe(text)).not.toContain("<b>");
});

test("a tag that arrives in two pieces is held back until it is decided", () => {
  const text = new SafeText(isTaken);
  expect(text.push("look: <")).toBe("look: ");
  expect(text.push("script>alert(1)")).toBe("&lt;script>alert(1)");
  expect(text.push(" 1 <")).toBe(" 1 ");
  expect(text.push(" 2")).toBe("< 2");
  expect(text.push(" end <")).toBe(" end ");
  expect(text.end()).toBe("<");
});

test("white space is sent at once", () => {
  const text = new SafeText(isTaken);
  expect([text.push(" "), text.push("\n"), text.push("\n"), text.push("  ")]).toEqual([" ", "\n", "\n", "  "]);
});

test("at most 2048 characters are held back", () => {
  const text = new SafeText(isTaken);
  expect(text.push(`\`${"a".repeat(3_000)}`)).toHaveLength(3_001);
});

test("split surrogate pairs and line ends are joined, and control characters are removed", () => {
  expect(safe("a\ud83d", "\ude00b")).toBe("a😀b");
  expect(safe("a\r", "\nb\u202ec")).toBe("a\nbc");
});

test("a code block that continues in another place is opened again there", () => {
  const text = new SafeText(isTaken);
  expect(text.push("```js\nlet a;\n") + text.end()).toBe("```js\nlet a;\n```\n");
  expect(text.again() + text.push("let b;\n```\n<b>")).toBe("```js\nlet b;\n```\n&lt;b>");
});

test.each([
  ["Hi\n\n**Fox:** yes", "Hi\n\n\\*\\*Fox:** yes"],
  ["__Fox__: yes", "\\_\\_Fox__: yes"],
  ["***Fox :*** yes", "\\*\\*\\*Fox :*** yes"],
  ["**Fox** : yes", "\\*\\*Fox** : yes"],
  ["**Fox：** yes", "\\*\\*Fox：** yes"],
  ["*__Fox:__* yes", "\\*\\_\\_Fox:__* yes"],
  ["**[Fox](https://example.org):** yes", "\\*\\*[Fox](https://example.org):** yes"],
  ["**Note:** Fox", "**Note:** Fox"],
  ["**Fox** runs, I say **Fox:** too", "**Fox** runs, I say **Fox:** too"],
])("text cannot imitate the name of another speaker: %j becomes %j", (text, output) => {
  expect(safe(text)).toBe(output);
  expect(safe(...text)).toBe(output);
});

const fragment = fc.constantFrom(
  ..."<>`~$\\| \nab!/@[]()*_:&;".split(""),
  ...["**", "Fox", "](", "www.", "**Fox:**"],
  "```",
  "~~~",
  "\n\n",
  "<b",
  ...["https://", "![", "&#"],
  "- ",
  "> ",
  "😀",
);

test("the result does not depend on where the text is cut", () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (pieces) => {
      expect(safe(...pieces)).toBe(safe(pieces.join("")));
    }),
  );
});

test("outside code, tags and images are escaped, and other text is unchanged", () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      if (!/[`~]/u.test(text)) expect(safe(text)).not.toMatch(/<(?!https?:\/\/[^\s<>]*>)[a-z/!?]/iu);
      if (!/[<`~&]|!\[|Fox/u.test(text)) expect(safe(text)).toBe(text);
      const outside = safe(text).replace(/<https?:\/\/[^\s<>]*>/giu, "");
      if (!/[`~]/u.test(text)) expect(outside).not.toMatch(/(?<!\\)(?:\\\\)*!\[/u);
    }),
  );
});
