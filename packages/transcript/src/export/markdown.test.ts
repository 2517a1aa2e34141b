import { expect, test } from "vitest";
import { ann, birds, comes, echo, moves, says, transcriptOf } from "../testing/sample-conversation.ts";
import { markdownOf } from "./markdown.ts";

test("a conversation is exported as readable Markdown", async () => {
  await expect(markdownOf(birds)).toMatchFileSnapshot("../testing/birds-markdown.golden.txt");
});

/** The lines outside of quotations. */
function structure(markdown: string): string[] {
  return markdown.split("\n").filter((line) => line !== "" && !line.startsWith(">"));
}

test("an utterance stays within its quotation", () => {
  const words = "Hello\n# Title\n\n**Ann** 10:05: I never said this\n---\n```\nno end";
  const lines = structure(markdownOf(transcriptOf([comes(echo, "Echo"), says(echo, words)])));
  expect(lines.filter((line) => line.startsWith("#"))).toEqual(["# Birds", "## 2026-11-16"]);
  expect(lines.at(-1)).toBe("**Echo** 10:02:");
  expect(lines.some((line) => line.includes("never said"))).toBe(false);
});

test.each([
  ["HTML", "a <script>alert(1)</script> <!-- b", "a &lt;script>alert(1)&lt;/script> &lt;!-- b"],
  ["a remote image", "![x](https://spy.example/p.png)", "!\\[x](https://spy.example/p.png)"],
  ["a link definition", "[Ann]: https://spy.example/", "[Ann]\\: https://spy.example/"],
  ["a direction override", "abc\u202egnp.exe", "abcgnp.exe"],
  ["a terminal escape sequence", "\u001b[31mred\u009b1m", "[31mred1m"],
])("%s is written as plain text", (_what, words, shown) => {
  expect(markdownOf(transcriptOf([says(ann, words)]))).toContain(`**Ann** 10:01: ${shown}\n`);
});

test("a code block keeps its characters, and HTML after it is escaped", () => {
  const words = "```ts\nconst a: Array<string> = b[0];\n```\n<b>after</b>\n- x\n  ```\n  y\n<i>beside</i>";
  const markdown = markdownOf(transcriptOf([says(ann, words)]));
  expect(markdown).toContain("> const a: Array<string> = b[0];\n");
  expect(markdown).toContain("> &lt;b>after&lt;/b>\n");
  // A fence inside a list is not treated as a code block, as it would end with the list.
  expect(markdown).toContain("> &lt;i>beside&lt;/i>\n");
});

test("names, titles and reasons are escaped", () => {
  const name = "**Bob** <b>[x](https://spy.example/)\n# Big";
  const transcript = transcriptOf([comes(echo, name), moves(ann, "revokeFloor", echo, "`<i>`\n\n# no")], {
    title: "*A* <title>\n# B",
  });
  const lines = structure(markdownOf(transcript));
  expect(lines[0]).toBe("# \\*A\\* \\<title\\> \\# B");
  expect(lines).toContain("- **\\*\\*Bob\\*\\* \\<b\\>\\[x\\](https://spy.example/) \\# Big** (agent)");
  expect(lines.at(-1)).toMatch(/took the floor from .*: \\`\\<i\\>\\` \\# no\*$/u);
});

test("a whisper names its addressee, and other features are named", () => {
  const features = { picture: { mimeType: "image/png", tokens: [{ value: "iVBORw0KGgo=" }] } };
  const markdown = markdownOf(
    transcriptOf([comes(echo, "Echo"), says(ann, "psst", { to: echo, isPrivate: true, features })], { readAs: ann }),
  );
  expect(markdown).toContain("**Ann** *(whisper, private to Echo)* 10:02: psst *(image: image/png)*");
});
