import { describe, expect, test } from "vitest";
import { closeOpen, isHard, isPlain } from "./markdown-source.ts";

describe("a text without marks", () => {
  test.each(["Hello, Ann.", "It costs 3.50 (with tax)!", "well-known, 1.5 times", "Grüße an alle: bis morgen"])(
    "%j means itself",
    (text) => expect(isPlain(text)).toBe(true),
  );

  test.each([
    ...["**bold**", "a_b_", "see `x`", "[a](b)", "<b>", "a\nb", "- item", "+ item", "1. item", "2) item", "# head"],
    ...["https://ann.example", "www.ann.example", "ann@mail.example", "&amp;", "~~no~~", "a | b", "    code", "==="],
  ])("%j is Markdown", (text) => expect(isPlain(text)).toBe(false));

  test("a long text is left to the parser", () => expect(isPlain("word ".repeat(200))).toBe(false));
});

describe("an expensive text", () => {
  test.each([">", "> ", "_a", "a_", "[", "*a_b", "1. ", "- ", "<", "&"])("many %j are not parsed", (piece) => {
    expect(isHard(piece.repeat(20_000 / piece.length))).toBe(true);
  });

  test("ordinary texts are parsed", () => {
    const essay = "Some **bold** words, `code` and [a link](https://ann.example).\n\n".repeat(2000);
    expect(isHard(essay)).toBe(false);
    expect(isHard(`\`\`\`\n${"let some_name = other_name[0];\n".repeat(700)}\`\`\``)).toBe(false);
    expect(isHard("> > > quoted\n- a\n  - b\n    - c\n---\n* * *\n")).toBe(false);
  });
});

describe("a text that still grows", () => {
  test.each([
    ["plain words", "plain words"],
    ["so **bold", "so **bold**"],
    ["so **bold ", "so **bold** "],
    ["an *emphasis", "an *emphasis*"],
    ["**both *of", "**both *of***"],
    ["done **bold** and", "done **bold** and"],
    ["ends **", "ends "],
    ["2 * 3", "2 * 3"],
    ["snake_case", "snake_case"],
    ["_so", "_so_"],
    ["~~gone", "~~gone~~"],
    ["call `run(", "call `run(`"],
    ["call `", "call "],
    ["**call `run", "**call `run`**"],
    ["`a*b` and", "`a*b` and"],
    ["see [the page](https://ann.exa", "see the page"],
    ["see [the pa", "see the pa"],
    ["see [the page](https://ann.example)", "see [the page](https://ann.example)"],
    ["```js\nlet a = 1;", "```js\nlet a = 1;\n```"],
    ["```js\n**x", "```js\n**x\n```"],
    ["```\na\n```\nthen **b", "```\na\n```\nthen **b**"],
    ["~~~~\n```", "~~~~\n```\n~~~~"],
    ["**never closed\n\nnext *one", "**never closed\n\nnext *one*"],
    ["\\*not", "\\*not"],
    ["* item", "* item"],
  ])("%j is read as %j", (text, closed) => expect(closeOpen(text)).toBe(closed));

  test("no cut throws", () => {
    const text = "# A\n\n- **b** `c` [d](e)\n\n```ts\nf\n```\n> _g_ ~~h~~ ![i](j) \\* |k|";
    for (let end = 0; end <= text.length; end += 1) expect(typeof closeOpen(text.slice(0, end))).toBe("string");
  });
});
