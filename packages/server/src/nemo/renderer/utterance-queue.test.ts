import { expect, test } from "vitest";
import { fox, me, owl, RendererFixture, textIn } from "../../testing/nemo-renderer.ts";

function withTwo(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.joins(fox, "Fox");
  return fixture;
}

test("a draft is told as it grows, and its utterance brings only the rest", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hel" }))).toBe("**Owl:** Hel");
  expect(textIn(fixture.drafts(owl, "d", { delta: "lo" }))).toBe("lo");
  expect(textIn(fixture.drafts(owl, "d", { end: "final" }))).toBe("");
  expect(textIn(fixture.says(owl, "Hello you", { id: "d" }))).toBe(" you\n\n");
});

test("words of a draft that come after its utterance, and its end, are nothing new", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Hel" });
  fixture.says(owl, "Hello", { id: "d" });
  expect(fixture.drafts(owl, "d", { delta: "lo" })).toEqual([]);
  expect(fixture.drafts(owl, "d", { end: "final" })).toEqual([]);
});

test("a draft whose beginning was missed waits for its utterance, so the words come once", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(fixture.drafts(owl, "d", { delta: "lo", offset: 3 })).toEqual([]);
  expect(fixture.drafts(owl, "e", { delta: "lo", offset: undefined } as never)).toEqual([]);
  expect(textIn(fixture.says(owl, "Hello", { id: "d" }))).toBe("**Owl:** Hello\n\n");
});

test("after words that were missed in between, the rest comes with the utterance", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "one ", offset: 0 }))).toBe("**Owl:** one ");
  expect(fixture.drafts(owl, "d", { delta: "three ", offset: 8 })).toEqual([]);
  expect(fixture.drafts(owl, "d", { delta: "four", offset: 14 })).toEqual([]);
  expect(textIn(fixture.says(owl, "one two three four", { id: "d" }))).toBe("two three four\n\n");
});

test("while one speaks the others wait, then they go on with all that they have", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "o", { delta: "Hoo" });
  expect(fixture.drafts(fox, "f", { delta: "Yi" })).toEqual([]);
  expect(fixture.says("tag:ann", "Done")).toEqual([]);
  expect(textIn(fixture.says(owl, "Hoo!", { id: "o" }))).toBe("!\n\n**Fox:** Yi");
  expect(textIn(fixture.drafts(fox, "f", { delta: "p" }))).toBe("p");
  expect(textIn(fixture.says(fox, "Yip", { id: "f" }))).toBe("\n\n**ann:** Done\n\n");
});

test("an utterance that is not what was streamed comes whole in a paragraph of its own", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I think" });
  expect(textIn(fixture.says(owl, "No, I know.", { id: "d" }))).toBe("\n\nNo, I know.\n\n");
});

test("blanks at the end that the utterance lacks are no other words", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Hoo \n" });
  expect(textIn(fixture.says(owl, "Hoo", { id: "d" }))).toBe("\n");
});

test("a draft that is dropped is marked where some of it was shown, and else leaves no trace", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "o", { delta: "Hoo" });
  fixture.drafts(fox, "f", { delta: "Yip" });
  expect(fixture.drafts(fox, "f", { end: "dropped" })).toEqual([]);
  expect(textIn(fixture.drafts(owl, "o", { end: "dropped" }))).toBe(" *(stopped)*\n\n");
});

test("a private draft is marked from its first word, and one that turns out so at its end", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "psst", to: { speakerUri: me, private: true } }))).toBe(
    "**Owl:** *(private)* psst",
  );
  fixture.says(owl, "psst", { id: "d", to: me, isPrivate: true });
  fixture.drafts(fox, "f", { delta: "hey" });
  expect(textIn(fixture.says(fox, "hey", { id: "f", to: me, isPrivate: true }))).toBe(" *(private)*\n\n");
});

test("blanks are words, nothing is not", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "a" });
  expect(textIn(fixture.drafts(owl, "d", { delta: " " }))).toBe(" ");
  expect(fixture.drafts(owl, "d", { delta: "" })).toEqual([]);
});

test("a draft that began outside a turn is told from its beginning in the next one", () => {
  const fixture = withTwo();
  expect(fixture.drafts(owl, "d", { delta: "Hel" })).toEqual([]);
  expect(textIn(fixture.begins())).toBe("**Owl:** Hel");
  expect(textIn(fixture.drafts(owl, "d", { delta: "lo" }))).toBe("lo");
});

test("a turn begins with those who have finished, whoever began first", () => {
  const fixture = withTwo();
  fixture.drafts(owl, "d", { delta: "Hoo" });
  fixture.says(fox, "Yip");
  expect(textIn(fixture.begins())).toBe("**Fox:** Yip\n\n**Owl:** Hoo");
});

test("a draft whose beginning was missed is followed by the whole", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "world" }))).toBe("**Owl:** world");
  expect(textIn(fixture.says(owl, "Hello world", { id: "d" }))).toBe("\n\nHello world\n\n");
});

test("who still speaks when the turn ends is heard to the end in the next one", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Hel" });
  fixture.says(fox, "Yip");
  expect(textIn(fixture.completes())).toBe(
    " *(still speaking; the rest comes with your next message)*\n\n**Fox:** Yip\n\n",
  );
  fixture.drafts(owl, "d", { delta: "lo" });
  fixture.says(owl, "Hello you", { id: "d" });
  expect(textIn(fixture.begins())).toBe("**Owl:** lo you\n\n");
});

test("a listing that a turn cuts in two is a listing in both", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "```\nlet a;\n" });
  expect(textIn(fixture.completes())).toMatch(/^```\n\*\(still speaking/u);
  fixture.says(owl, "```\nlet a;\nlet b;\n```", { id: "d" });
  expect(textIn(fixture.begins())).toBe("**Owl:**\n\n```\nlet b;\n```\n\n");
});

test("somebody who never ends is interrupted when too many wait", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I go on" });
  for (let number = 1; number <= 201; number += 1) fixture.says(fox, `Yip ${number}.`);
  expect(textIn(fixture.output)).toContain("I go on *(goes on below)*\n\n**Fox:** Yip 1.\n\n");
  expect(textIn(fixture.drafts(owl, "d", { delta: " and on" }))).toBe("**Owl:**  and on");
});

test("a draft without end is kept only up to a size, and its utterance brings the rest", () => {
  const fixture = withTwo();
  fixture.begins();
  const much = "x".repeat(200_000);
  fixture.drafts(owl, "d", { delta: much });
  expect(fixture.drafts(owl, "d", { delta: much })).toEqual([]);
  expect(textIn(fixture.says(owl, `${much}${much}.`, { id: "d" }))).toBe(`${much}.\n\n`);
});
