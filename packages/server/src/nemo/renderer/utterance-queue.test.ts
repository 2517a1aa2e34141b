import { expect, test } from "vitest";
import { fox, me, owl, RendererFixture, textIn } from "../../testing/nemo-renderer.ts";

function withTwo(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.joins(fox, "Fox");
  return fixture;
}

test("a draft is sent as it grows, and its utterance adds only the rest", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hel" }))).toBe("**Owl:** Hel");
  expect(textIn(fixture.drafts(owl, "d", { delta: "lo" }))).toBe("lo");
  expect(textIn(fixture.drafts(owl, "d", { end: "final" }))).toBe("");
  expect(textIn(fixture.says(owl, "Hello you", { id: "d" }))).toBe(" you\n\n");
});

test("pieces and the end of a draft after its utterance are ignored", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Hel" });
  fixture.says(owl, "Hello", { id: "d" });
  expect(fixture.drafts(owl, "d", { delta: "lo" })).toEqual([]);
  expect(fixture.drafts(owl, "d", { end: "final" })).toEqual([]);
});

test("a draft without its beginning waits for its utterance, so the text is sent once", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(fixture.drafts(owl, "d", { delta: "lo", offset: 3 })).toEqual([]);
  expect(fixture.drafts(owl, "e", { delta: "lo", offset: undefined } as never)).toEqual([]);
  expect(textIn(fixture.says(owl, "Hello", { id: "d" }))).toBe("**Owl:** Hello\n\n");
});

test("after a missing piece, the rest comes with the utterance", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "one ", offset: 0 }))).toBe("**Owl:** one ");
  expect(fixture.drafts(owl, "d", { delta: "three ", offset: 8 })).toEqual([]);
  expect(fixture.drafts(owl, "d", { delta: "four", offset: 14 })).toEqual([]);
  expect(textIn(fixture.says(owl, "one two three four", { id: "d" }))).toBe("two three four\n\n");
});

test("while one utterance is sent the others wait, then they continue with all their text", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "o", { delta: "Hoo" });
  expect(fixture.drafts(fox, "f", { delta: "Yi" })).toEqual([]);
  expect(fixture.says("tag:ann", "Done")).toEqual([]);
  expect(textIn(fixture.says(owl, "Hoo!", { id: "o" }))).toBe("!\n\n**Fox:** Yi");
  expect(textIn(fixture.drafts(fox, "f", { delta: "p" }))).toBe("p");
  expect(textIn(fixture.says(fox, "Yip", { id: "f" }))).toBe("\n\n**ann:** Done\n\n");
});

test("an utterance that differs from its draft is sent whole in a new paragraph", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I think" });
  expect(textIn(fixture.says(owl, "No, I know.", { id: "d" }))).toBe("\n\nNo, I know.\n\n");
});

test("trailing white space of a draft does not count as a difference", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Hoo \n" });
  expect(textIn(fixture.says(owl, "Hoo", { id: "d" }))).toBe("\n");
});

test("a dropped draft is marked if a part was shown, and otherwise not sent", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "o", { delta: "Hoo" });
  fixture.drafts(fox, "f", { delta: "Yip" });
  expect(fixture.drafts(fox, "f", { end: "dropped" })).toEqual([]);
  expect(textIn(fixture.drafts(owl, "o", { end: "dropped" }))).toBe(" *(stopped)*\n\n");
});

test("a private draft is marked at its start, or at its end if only the utterance is private", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "psst", to: { speakerUri: me, private: true } }))).toBe(
    "**Owl:** *(private)* psst",
  );
  fixture.says(owl, "psst", { id: "d", to: me, isPrivate: true });
  fixture.drafts(fox, "f", { delta: "hey" });
  expect(textIn(fixture.says(fox, "hey", { id: "f", to: me, isPrivate: true }))).toBe(" *(private)*\n\n");
});

test("a space is sent, an empty delta is not", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "a" });
  expect(textIn(fixture.drafts(owl, "d", { delta: " " }))).toBe(" ");
  expect(fixture.drafts(owl, "d", { delta: "" })).toEqual([]);
});

test("a draft that began outside a turn is sent from its beginning in the next turn", () => {
  const fixture = withTwo();
  expect(fixture.drafts(owl, "d", { delta: "Hel" })).toEqual([]);
  expect(textIn(fixture.begins())).toBe("**Owl:** Hel");
  expect(textIn(fixture.drafts(owl, "d", { delta: "lo" }))).toBe("lo");
});

test("a turn begins with finished utterances", () => {
  const fixture = withTwo();
  fixture.drafts(owl, "d", { delta: "Hoo" });
  fixture.says(fox, "Yip");
  expect(textIn(fixture.begins())).toBe("**Fox:** Yip\n\n**Owl:** Hoo");
});

test("a draft that is not the start of its utterance is followed by the whole utterance", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "world" }))).toBe("**Owl:** world");
  expect(textIn(fixture.says(owl, "Hello world", { id: "d" }))).toBe("\n\nHello world\n\n");
});

test("a draft that is open at the end of a turn continues in the next one", () => {
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

test("a code block that is cut by the end of a turn is a code block in both turns", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "```\nlet a;\n" });
  expect(textIn(fixture.completes())).toMatch(/^```\n\*\(still speaking/u);
  fixture.says(owl, "```\nlet a;\nlet b;\n```", { id: "d" });
  expect(textIn(fixture.begins())).toBe("**Owl:**\n\n```\nlet b;\n```\n\n");
});

test("a draft is interrupted when too many utterances wait", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I go on" });
  for (let number = 1; number <= 201; number += 1) fixture.says(fox, `Yip ${number}.`);
  expect(textIn(fixture.output)).toContain("I go on *(goes on below)*\n\n**Fox:** Yip 1.\n\n");
  expect(textIn(fixture.drafts(owl, "d", { delta: " and on" }))).toBe("**Owl:**  and on");
});

test("a draft is kept up to a size limit, and its utterance adds the rest", () => {
  const fixture = withTwo();
  fixture.begins();
  const much = "x".repeat(200_000);
  fixture.drafts(owl, "d", { delta: much });
  expect(fixture.drafts(owl, "d", { delta: much })).toEqual([]);
  expect(textIn(fixture.says(owl, `${much}${much}.`, { id: "d" }))).toBe(`${much}.\n\n`);
});
