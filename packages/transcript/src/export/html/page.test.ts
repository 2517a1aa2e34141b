import fc from "fast-check";
import { expect, test } from "vitest";
import { ann, birds, comes, echo, moves, says, transcriptOf } from "../../testing/sample-conversation.ts";
import { htmlOf } from "./page.ts";

/** Every tag that is opened, with its attributes. */
function tagsOf(html: string): string[] {
  return [...html.matchAll(/<([a-z][a-z\d]*)\b[^>]*>/giu)].map(([tag]) => tag);
}

test("a page loads no other file and runs no script", () => {
  const html = htmlOf(birds);
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:`);
  expect(html).not.toMatch(/<(?:script|link|iframe|object|embed|base|form)\b/iu);
  expect(html).not.toMatch(/\bon[a-z]+=/iu);
  expect([...html.matchAll(/\b(?:href|src)="([^"]*)"/gu)].filter(([, url = ""]) => !/^#e\d+$/u.test(url))).toEqual([]);
  expect(html).not.toMatch(/url\((?!#hatch-\d+\))|@import/u);
});

test("each utterance has an anchor that its tick in the floor strip links to", () => {
  const html = htmlOf(birds);
  const places = new Set([...html.matchAll(/ id="(e\d+)"/gu)].map(([, id]) => id));
  const ticks = [...html.matchAll(/<a href="#(e\d+)" tabindex="-1">/gu)].map(([, id]) => id);
  expect(ticks).toHaveLength(4);
  expect(ticks.filter((id) => !places.has(id))).toEqual([]);
});

test("the floor strip has a lane for every conversant, also one that left, with its spans", () => {
  const html = htmlOf(birds);
  const lanes = /<svg.*?<\/svg>/su.exec(html)?.[0] ?? "";
  expect(lanes.match(/<g data-hue/gu)).toHaveLength(3);
  expect(lanes.match(/class="held"/gu)).toHaveLength(4);
  expect(lanes.match(/class="asked" fill="url\(#hatch-\d+\)"/gu)).toHaveLength(1);
  expect(lanes.match(/class="tick private"/gu)).toHaveLength(1);
  expect(html).toContain('<th scope="row"><bdi>Owl</bdi></th>');
});

const hostile = [
  "</style><script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "'><svg/onload=alert(1)>",
  "<!-- ",
  "]]>",
  "&lt;b&gt;",
];

test.each(hostile)("%j is escaped", (words) => {
  const plainTags = tagsOf(htmlOf(transcriptOf(story("x"), { title: "x", owner: "x" })));
  const html = htmlOf(transcriptOf(story(words), { title: words, owner: words, id: words }));
  const bare = (tags: string[]) => tags.map((tag) => tag.replaceAll(/"[^"]*"/gu, '""'));
  expect(bare(tagsOf(html))).toEqual(bare(plainTags));
  expect(html).not.toContain("<!-- ");
});

function story(words: string) {
  const features = { note: { mimeType: "application/x-note", lang: words, tokens: [{ value: words }] } };
  return [comes(echo, words), says(echo, words, { features }), moves(ann, "revokeFloor", echo, words)];
}

test("no text adds a tag", () => {
  const count = (html: string) => html.split("<").length;
  const plain = count(htmlOf(transcriptOf(story("x"))));
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."<>&\"'/ab!-= \n") }), (words) => {
      // Text of blanks only has no line.
      expect(count(htmlOf(transcriptOf(story(`x${words}`))))).toBe(plain);
    }),
  );
});

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

test("an image in the log is shown, and a remote image is not fetched", () => {
  const shown = { image: { mimeType: "image/png", tokens: [{ value: pixel, alt: `a "dot"` }] } };
  const html = htmlOf(transcriptOf([says(ann, "look", { features: shown })]));
  expect(html).toContain(`<img src="data:image/png;base64,${pixel}" alt="a &quot;dot&quot;">`);
  for (const token of [{ valueUrl: "https://spy.example/p.png" }, { value: `x" onerror="alert(1)` }]) {
    const features = { image: { mimeType: "image/png", tokens: [token] } };
    const other = htmlOf(transcriptOf([says(ann, "look", { features })]));
    expect(other).toContain("(image, image/png: not in this file)");
    expect(other).not.toContain("spy.example");
    expect(other).not.toContain("onerror");
  }
});

test("an SVG image is not shown, as it may contain a script", () => {
  const features = { image: { mimeType: "image/svg+xml", tokens: [{ value: pixel }] } };
  expect(htmlOf(transcriptOf([says(ann, "look", { features })]))).not.toContain("<img");
});

test("ten thousand utterances are exported with a bounded floor strip; nightly runs also check the CPU time", () => {
  const many = transcriptOf(
    Array.from({ length: 10_000 }, (_, index) => says(index % 2 === 0 ? ann : echo, `Word ${index}`)),
  );
  const before = process.cpuUsage();
  const html = htmlOf(many);
  const { user } = process.cpuUsage(before);
  expect(html.match(/<article/gu)).toHaveLength(10_000);
  // The number of ticks is limited.
  expect(html.match(/<a href="#e\d+" tabindex="-1">/gu)?.length).toBeLessThan(1_000);
  // Time is judged in nightly runs only (D46).
  if (process.env.PLENARY_NIGHTLY === "1") expect(user / 1_000).toBeLessThan(1_000);
});
