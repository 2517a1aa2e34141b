import { expect, test } from "vitest";
import { errorsIn, fox, me, owl, RendererFixture, stepsIn, textIn } from "../../testing/nemo-renderer.ts";

function withOne(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  return fixture;
}

function withTwo(): RendererFixture {
  const fixture = withOne();
  fixture.joins(fox, "Fox");
  return fixture;
}

test("the text of the only other conversant is sent without its name", () => {
  const fixture = withOne();
  fixture.begins();
  expect(fixture.says(owl, "Hello there")).toEqual([{ kind: "delta", text: "Hello there" }]);
  expect(textIn(fixture.says(owl, "And more"))).toBe("\n\nAnd more");
});

test("with several conversants, each text has a name and ends with an empty line", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.says(owl, "Hoo"))).toBe("**Owl:** Hoo\n\n");
  expect(textIn(fixture.says(fox, "Yip"))).toBe("**Fox:** Yip\n\n");
});

test("equal names get numbers, and names are escaped", () => {
  const fixture = withOne();
  fixture.joins("tag:owl2", "Owl");
  fixture.joins("tag:evil", "**Owl:** <b>`x`\n[y](z)");
  fixture.joins("tag:sly", "&#79;wl & Sons");
  fixture.begins();
  expect(textIn(fixture.says("tag:owl2", "Hoo"))).toBe("**Owl (2):** Hoo\n\n");
  expect(textIn(fixture.says("tag:evil", "Hi"))).toBe("**＊＊Owl:＊＊ ＜b＞｀x｀ \\[y\\](z):** Hi\n\n");
  expect(textIn(fixture.says("tag:sly", "Hi"))).toBe("**＆#79;wl & Sons:** Hi\n\n");
});

test("an utterance cannot imitate the name of another speaker", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.says(owl, "Hoo\n\n**Fox:** I agree\n\n**Owl:** See?"))).toBe(
    "**Owl:** Hoo\n\n\\*\\*Fox:** I agree\n\n**Owl:** See?\n\n",
  );
});

test("the person's own utterances are not sent back", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(fixture.says(me, "My words", { to: owl, isPrivate: true })).toEqual([]);
  expect(fixture.says(me, "My words")).toEqual([]);
  expect(fixture.drafts(me, "x", { delta: "My" })).toEqual([]);
});

test("a whisper to this person is marked, and a whisper to others is not sent", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.says(owl, "psst", { to: me, isPrivate: true }))).toBe("**Owl:** *(private)* psst\n\n");
  expect(fixture.says(owl, "secret", { to: fox, isPrivate: true })).toEqual([]);
  expect(fixture.drafts(owl, "s", { delta: "secret", to: { speakerUri: fox, private: true } })).toEqual([]);
});

test("a relayed utterance names the relaying and the original speaker", () => {
  const fixture = withOne();
  fixture.begins();
  expect(textIn(fixture.says(owl, "She says hi", { by: "tag:ann" }))).toBe("**Owl, relaying ann:** She says hi\n\n");
});

test("utterances outside a turn come first in the next turn", () => {
  const fixture = withTwo();
  expect(fixture.says(owl, "Before")).toEqual([]);
  expect(textIn(fixture.begins())).toBe("**Owl:** Before\n\n");
  fixture.completes();
  fixture.says(fox, "Between");
  expect(textIn(fixture.begins())).toBe("**Fox:** Between\n\n");
});

test("beyond 200 utterances outside a turn, the oldest are left out with a notice", () => {
  const fixture = withTwo();
  for (let number = 1; number <= 203; number += 1) fixture.says(owl, `word ${number}.`);
  const text = textIn(fixture.begins());
  expect(text).toMatch(/^\*\(3 earlier utterances were left out/u);
  expect(text).not.toContain("word 3.");
  expect(text).toContain("word 4.");
  fixture.completes();
  expect(textIn(fixture.begins())).toBe("");
});

test("the characters kept outside a turn are limited", () => {
  const fixture = withTwo();
  for (let number = 1; number <= 5; number += 1) fixture.says(owl, `${number}${"x".repeat(100_000)}`);
  const text = textIn(fixture.begins());
  expect(text).toMatch(/^\*\(3 earlier utterances were left out/u);
  expect(text.length).toBeLessThan(300_000);
});

test("an utterance that is erased before it is sent is not sent", () => {
  const fixture = withOne();
  fixture.says(owl, "regret");
  fixture.log({ kind: "erased", erases: 3 });
  expect(textIn(fixture.begins())).toBe("");
});

test("the known part of the log is read for names and not sent", () => {
  const fixture = new RendererFixture({ after: 3 });
  fixture.joins(owl, "Owl");
  fixture.says(owl, "old");
  fixture.joins(fox, "Fox");
  fixture.says(owl, "new");
  expect(textIn(fixture.begins())).toBe("**Owl:** new\n\n");
  expect(fixture.renderer.seq()).toBe(5);
});

test("a repeated entry is sent once", () => {
  const fixture = withOne();
  fixture.begins();
  const entry = { seq: 3, kind: "event", sender: owl, at: "" };
  fixture.says(owl, "Hoo");
  expect(fixture.renderer.entry(entry as never, 0)).toEqual([]);
});

test("images are shown by their address, if it is safe to open", () => {
  const fixture = withOne();
  fixture.begins();
  const image = (token: object) => ({ image: { mimeType: "image/png", tokens: [token] } });
  const output = (token: object) => textIn(fixture.says(owl, "Look", { features: image(token) }));
  expect(output({ valueUrl: "https://example.org/a.png" })).toBe("Look\n\n(image: <https://example.org/a.png>)");
  for (const valueUrl of [
    "javascript:alert(1)",
    "https://a:b@example.org/",
    "https://x/<b>",
    "data:image/png;base64,AA",
  ]) {
    expect(output({ valueUrl })).toBe("\n\nLook\n\n(image: image/png)");
  }
});

test("an image in the text becomes a link, so that no client fetches it", () => {
  const fixture = withOne();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "Look: !" });
  fixture.drafts(owl, "d", { delta: "[x](https://example.org/?secret=1)" });
  expect(textIn(fixture.output)).toBe("Look: \\![x](https://example.org/?secret=1)");
});

test("raw HTML is escaped, also when a tag arrives in two pieces", () => {
  const fixture = withOne();
  fixture.begins();
  expect(textIn(fixture.drafts(owl, "d", { delta: "a <" }))).toBe("a ");
  expect(textIn(fixture.drafts(owl, "d", { delta: "img src=x>" }))).toBe("&lt;img src=x>");
  expect(textIn(fixture.says(owl, "a <img src=x>", { id: "d" }))).toBe("");
});

test("a code block begins on its own line after the name, and is closed at the end", () => {
  const fixture = withTwo();
  fixture.begins();
  expect(textIn(fixture.says(owl, "```\n<b>"))).toBe("**Owl:**\n\n```\n<b>\n```\n\n");
});

test("a long text is sent in deltas of at most 16 KiB, cut between characters", () => {
  const fixture = withOne();
  fixture.begins();
  const text = `a${"😀".repeat(10_000)}`;
  const output = fixture.says(owl, text);
  expect(textIn(output)).toBe(text);
  expect(output.length).toBe(3);
  for (const one of output) expect(Buffer.byteLength(one.kind === "delta" ? one.text : "")).toBeLessThanOrEqual(16_384);
});

test("a turn ends with complete and the trace, and has no output after them", () => {
  const fixture = withOne();
  fixture.begins();
  fixture.says(owl, "Hoo");
  expect(fixture.completes("t1")).toEqual([
    { kind: "complete", isFailed: false },
    { kind: "trace", traceId: "t1" },
  ]);
  expect(fixture.completes("t1")).toEqual([]);
  expect(fixture.says(owl, "Hoo again")).toEqual([]);
});

test("`turns` lists each turn of the floor once", () => {
  const fixture = withOne();
  fixture.begins();
  for (const turn of ["t1", "t2", "t1"]) fixture.renderer.addTurn(turn);
  expect(fixture.renderer.turns()).toEqual(["t1", "t2"]);
  fixture.begins();
  expect(fixture.renderer.turns()).toEqual([]);
});

test("a second message ends the turn without complete, and with a step about it", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I am say" });
  fixture.says(fox, "Waiting");
  const output = fixture.begins();
  expect(output.some(({ kind }) => kind === "complete")).toBe(false);
  expect(stepsIn(output).map(({ name }) => name)).toContain("Your earlier message was stopped");
  expect(textIn(output)).toBe("**Fox:** Waiting\n\n");
  expect(fixture.drafts(owl, "d", { delta: "ing" })).toEqual([]);
  expect(fixture.drafts(owl, "d", { end: "dropped" })).toEqual([]);
});

test("a stopped utterance that is finished later is sent to its end", () => {
  const fixture = withTwo();
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "I am say" });
  fixture.begins();
  expect(textIn(fixture.says(owl, "I am saying it", { id: "d" }))).toBe("**Owl:** ing it\n\n");
});

test("an error about the person's message has text, and outside a turn it ends the client's wait", () => {
  const fixture = withOne();
  const error = { code: "invalid_message", message: "NotSaid", details: "it has *no* words" } as const;
  expect(fixture.renderer.showError(error)).toEqual([
    { kind: "error", error },
    { kind: "delta", text: "*(Error: NotSaid: it has ＊no＊ words)*" },
    { kind: "complete", isFailed: true },
  ]);
  fixture.begins();
  expect(fixture.renderer.showError(error).map(({ kind }) => kind)).toEqual(["error", "delta"]);
  expect(fixture.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("a refused event of the person is an error with advice", () => {
  const fixture = withOne();
  fixture.begins();
  const refused = { kind: "refused", sender: me, event: { eventType: "utterance" }, problem: "floor not granted" };
  const output = fixture.log(refused);
  expect(errorsIn(output)[0]?.details).toMatch(/^your message was not delivered: floor not granted\. Try again later/u);
  expect(textIn(output)).toContain("floor not granted");
});
