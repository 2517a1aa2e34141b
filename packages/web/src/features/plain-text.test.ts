import type { DialogEvent } from "@plenary/protocol";
import { describe, expect, test } from "vitest";
import { plainTextOf, spoken, spokenTextOf } from "./plain-text.ts";

function said(features: DialogEvent["features"]): DialogEvent {
  return { id: "1", speakerUri: "tag:ann.example,2025:1", span: { startTime: "2025-01-31T10:05:00Z" }, features };
}

const text = (...values: string[]) => ({ mimeType: "text/plain", tokens: values.map((value) => ({ value })) });

describe("the words of an utterance", () => {
  test("are its text tokens with nothing between them", () => {
    expect(plainTextOf(said({ text: text("Hel", "lo", " **Ann**") }))).toBe("Hello **Ann**");
  });

  test("include custom features, after those of the specification", () => {
    expect(plainTextOf(said({ "my-text": text("mine"), text: text("first") }))).toBe("first\nmine");
  });

  test("come from SSML or HTML without a text feature", () => {
    const ssml = { mimeType: "application/ssml+xml", tokens: [{ value: "<speak>One <break/>two</speak>" }] };
    const html = {
      mimeType: "text/html",
      tokens: [{ value: "<style>b{}</style><p>A &amp; <b>B</b></p><script>x</script>" }],
    };
    expect(plainTextOf(said({ ssml, html }))).toBe("One two");
    expect(plainTextOf(said({ html }))).toBe("A & B");
  });

  test("list the media when there is no text", () => {
    const image = { mimeType: "image/png", tokens: [{ value: "AAAA" }] };
    expect(plainTextOf(said({ image }))).toBe("(an image: image/png)");
    expect(plainTextOf(said({}))).toBe("");
  });

  test("leave out prompts and replies", () => {
    const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: { id: "1" } }] };
    expect(plainTextOf(said({ interaction, text: text("Which one?") }))).toBe("Which one?");
  });

  test("a value at a URL is left out", () => {
    const feature = { mimeType: "text/plain", tokens: [{ value: "a" }, { valueUrl: "https://ann.example/b" }] };
    expect(plainTextOf(said({ text: feature }))).toBe("a");
  });
});

describe("text for speech", () => {
  test.each([
    ["**Well** _done_ ~~so~~ `x`", "Well done so x"],
    ["snake_case_name stays", "snake_case_name stays"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["**a *b* c** and *d", "a b c and *d"],
    ["# Title\n- one\n- [x] two\n3. three\n> quoted", "Title\none\ntwo\nthree\nquoted"],
    ["see [the page](https://ann.example/a)", "see the page"],
    ["![a cat](https://ann.example/cat.png)", "a cat"],
    ["go to https://ann.example/a/b?c=1 now", "go to ann.example now"],
    ["before\n```js\nlet a;\n```\nafter", "before\n(code)\nafter"],
    ["open\n```\nlet a;", "open\n(code)"],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "a b\n\n1 2"],
  ])("%j becomes %j", (markdown, words) => expect(spoken(markdown)).toBe(words));

  test("of the utterance", () => expect(spokenTextOf(said({ text: text("**Hi**") }))).toBe("Hi"));

  test("is limited in length", () => {
    expect(spoken("word ".repeat(60_000)).length).toBeLessThanOrEqual(10_000);
  });

  test.each([" _a", " *a", " `a", "[a](", " ~~a"])("many open %j become text of bounded length", (piece) => {
    const words = piece.repeat(60_000);
    expect(spoken(words).length).toBeLessThanOrEqual(10_000);
    // Time is judged in nightly runs only (D46).
    if (isNightly) expect(fastestMs(words)).toBeLessThan(5 + 30 * fastestMs("abc ".repeat(2_500)));
  });

  test.each(["*", "_", "`", "[", "<", "|", "> ", "```\n", "https://", "<script>"])("many %j take no long", (piece) => {
    expect(typeof spoken(piece.repeat(20_000))).toBe("string");
    expect(
      typeof plainTextOf(said({ html: { mimeType: "text/html", tokens: [{ value: piece.repeat(20_000) }] } })),
    ).toBe("string");
  });
});

const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };
const isNightly = process?.env.PLENARY_NIGHTLY === "1";

/** Of several times, the one that was disturbed least. */
function fastestMs(words: string): number {
  const times = Array.from({ length: 5 }, () => {
    const before = performance.now();
    spoken(words);
    return performance.now() - before;
  });
  return Math.min(...times);
}
