import { expect, test } from "vitest";
import { errorsIn, fox, Listener, me, owl, stepsIn, textIn } from "../../testing/nemo-listener.ts";

function withOne(): Listener {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  return listener;
}

function withTwo(): Listener {
  const listener = withOne();
  listener.participants(fox, "Fox");
  return listener;
}

test("the words of the only other one are told as they are", () => {
  const listener = withOne();
  listener.begins();
  expect(listener.says(owl, "Hello there")).toEqual([{ kind: "delta", text: "Hello there" }]);
  expect(textIn(listener.says(owl, "And more"))).toBe("\n\nAnd more");
});

test("of several each is named, and each run ends with an empty line", () => {
  const listener = withTwo();
  listener.begins();
  expect(textIn(listener.says(owl, "Hoo"))).toBe("**Owl:** Hoo\n\n");
  expect(textIn(listener.says(fox, "Yip"))).toBe("**Fox:** Yip\n\n");
});

test("two of the same name are told apart, and a name marks nothing", () => {
  const listener = withOne();
  listener.participants("tag:owl2", "Owl");
  listener.participants("tag:evil", "**Owl:** <b>`x`\n[y](z)");
  listener.participants("tag:sly", "&#79;wl & Sons");
  listener.begins();
  expect(textIn(listener.says("tag:owl2", "Hoo"))).toBe("**Owl (2):** Hoo\n\n");
  expect(textIn(listener.says("tag:evil", "Hi"))).toBe("**＊＊Owl:＊＊ ＜b＞｀x｀ \\[y\\](z):** Hi\n\n");
  expect(textIn(listener.says("tag:sly", "Hi"))).toBe("**＆#79;wl & Sons:** Hi\n\n");
});

test("nobody speaks in the name of another within its own words", () => {
  const listener = withTwo();
  listener.begins();
  expect(textIn(listener.says(owl, "Hoo\n\n**Fox:** I agree\n\n**Owl:** See?"))).toBe(
    "**Owl:** Hoo\n\n\\*\\*Fox:** I agree\n\n**Owl:** See?\n\n",
  );
});

test("own words are never told back, whoever else is there", () => {
  const listener = withTwo();
  listener.begins();
  expect(listener.says(me, "My words", { to: owl, isPrivate: true })).toEqual([]);
  expect(listener.says(me, "My words")).toEqual([]);
  expect(listener.drafts(me, "x", { delta: "My" })).toEqual([]);
});

test("a whisper to this person is marked, and one to others is not told", () => {
  const listener = withTwo();
  listener.begins();
  expect(textIn(listener.says(owl, "psst", { to: me, isPrivate: true }))).toBe("**Owl:** *(private)* psst\n\n");
  expect(listener.says(owl, "secret", { to: fox, isPrivate: true })).toEqual([]);
  expect(listener.drafts(owl, "s", { delta: "secret", to: { speakerUri: fox, private: true } })).toEqual([]);
});

test("words that somebody relays are told as relayed", () => {
  const listener = withOne();
  listener.begins();
  expect(textIn(listener.says(owl, "She says hi", { by: "tag:ann" }))).toBe("**Owl, relaying ann:** She says hi\n\n");
});

test("what comes outside a turn is kept for the next one and comes first", () => {
  const listener = withTwo();
  expect(listener.says(owl, "Before")).toEqual([]);
  expect(textIn(listener.begins())).toBe("**Owl:** Before\n\n");
  listener.completes();
  listener.says(fox, "Between");
  expect(textIn(listener.begins())).toBe("**Fox:** Between\n\n");
});

test("when too much was said meanwhile the oldest is left out, and that is said", () => {
  const listener = withTwo();
  for (let number = 1; number <= 203; number += 1) listener.says(owl, `word ${number}.`);
  const text = textIn(listener.begins());
  expect(text).toMatch(/^\*\(3 earlier utterances were left out/u);
  expect(text).not.toContain("word 3.");
  expect(text).toContain("word 4.");
  listener.completes();
  expect(textIn(listener.begins())).toBe("");
});

test("a long silence of the person costs no more memory than so many characters", () => {
  const listener = withTwo();
  for (let number = 1; number <= 5; number += 1) listener.says(owl, `${number}${"x".repeat(100_000)}`);
  const text = textIn(listener.begins());
  expect(text).toMatch(/^\*\(3 earlier utterances were left out/u);
  expect(text.length).toBeLessThan(300_000);
});

test("what was erased before it was told is not told", () => {
  const listener = withOne();
  listener.says(owl, "regret");
  listener.log({ kind: "erased", erases: 3 });
  expect(textIn(listener.begins())).toBe("");
});

test("what the person knows already is learnt from and not told", () => {
  const listener = new Listener({ after: 3 });
  listener.participants(owl, "Owl");
  listener.says(owl, "old");
  listener.participants(fox, "Fox");
  listener.says(owl, "new");
  expect(textIn(listener.begins())).toBe("**Owl:** new\n\n");
  expect(listener.renderer.seq()).toBe(5);
});

test("an entry that comes twice is told once", () => {
  const listener = withOne();
  listener.begins();
  const entry = { seq: 3, kind: "event", sender: owl, at: "" };
  listener.says(owl, "Hoo");
  expect(listener.renderer.entry(entry as never, 0)).toEqual([]);
});

test("pictures are named by their addresses, and only by such that may be opened", () => {
  const listener = withOne();
  listener.begins();
  const image = (token: object) => ({ image: { mimeType: "image/png", tokens: [token] } });
  const output = (token: object) => textIn(listener.says(owl, "Look", { features: image(token) }));
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

test("a picture within words is a link, so that nobody's client fetches it", () => {
  const listener = withOne();
  listener.begins();
  listener.drafts(owl, "d", { delta: "Look: !" });
  listener.drafts(owl, "d", { delta: "[x](https://example.org/?secret=1)" });
  expect(textIn(listener.output)).toBe("Look: \\![x](https://example.org/?secret=1)");
});

test("raw HTML is shown as what it is, also when a tag comes in two pieces", () => {
  const listener = withOne();
  listener.begins();
  expect(textIn(listener.drafts(owl, "d", { delta: "a <" }))).toBe("a ");
  expect(textIn(listener.drafts(owl, "d", { delta: "img src=x>" }))).toBe("&lt;img src=x>");
  expect(textIn(listener.says(owl, "a <img src=x>", { id: "d" }))).toBe("");
});

test("a listing begins on its own line after the name, and its end is made up for", () => {
  const listener = withTwo();
  listener.begins();
  expect(textIn(listener.says(owl, "```\n<b>"))).toBe("**Owl:**\n\n```\n<b>\n```\n\n");
});

test("a long text comes in deltas of at most 16 KiB, cut between characters", () => {
  const listener = withOne();
  listener.begins();
  const text = `a${"😀".repeat(10_000)}`;
  const output = listener.says(owl, text);
  expect(textIn(output)).toBe(text);
  expect(output.length).toBe(3);
  for (const one of output) expect(Buffer.byteLength(one.kind === "delta" ? one.text : "")).toBeLessThanOrEqual(16_384);
});

test("a turn ends with complete and then the trace, and nothing is told after it", () => {
  const listener = withOne();
  listener.begins();
  listener.says(owl, "Hoo");
  expect(listener.completes("t1")).toEqual([
    { kind: "complete", isFailed: false },
    { kind: "trace", traceId: "t1" },
  ]);
  expect(listener.completes("t1")).toEqual([]);
  expect(listener.says(owl, "Hoo again")).toEqual([]);
});

test("the turns of the floor that belong to an open turn are known, each once", () => {
  const listener = withOne();
  listener.begins();
  for (const turn of ["t1", "t2", "t1"]) listener.renderer.joined(turn);
  expect(listener.renderer.turns()).toEqual(["t1", "t2"]);
  listener.begins();
  expect(listener.renderer.turns()).toEqual([]);
});

test("a second message ends the turn without complete, and a step says so", () => {
  const listener = withTwo();
  listener.begins();
  listener.drafts(owl, "d", { delta: "I am say" });
  listener.says(fox, "Waiting");
  const output = listener.begins();
  expect(output.some(({ kind }) => kind === "complete")).toBe(false);
  expect(stepsIn(output).map(({ name }) => name)).toContain("Your earlier message was stopped");
  expect(textIn(output)).toBe("**Fox:** Waiting\n\n");
  expect(listener.drafts(owl, "d", { delta: "ing" })).toEqual([]);
  expect(listener.drafts(owl, "d", { end: "dropped" })).toEqual([]);
});

test("what was stopped and said all the same is told to its end", () => {
  const listener = withTwo();
  listener.begins();
  listener.drafts(owl, "d", { delta: "I am say" });
  listener.begins();
  expect(textIn(listener.says(owl, "I am saying it", { id: "d" }))).toBe("**Owl:** ing it\n\n");
});

test("a trouble of one's own is an error and words, and outside a turn it ends the waiting", () => {
  const listener = withOne();
  const error = { code: "invalid_message", message: "NotSaid", details: "it has *no* words" } as const;
  expect(listener.renderer.trouble(error)).toEqual([
    { kind: "error", error },
    { kind: "delta", text: "*(Error: NotSaid: it has ＊no＊ words)*" },
    { kind: "complete", isFailed: true },
  ]);
  listener.begins();
  expect(listener.renderer.trouble(error).map(({ kind }) => kind)).toEqual(["error", "delta"]);
  expect(listener.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("what the floor refused of one's own is a trouble that says what to do", () => {
  const listener = withOne();
  listener.begins();
  const refused = { kind: "refused", sender: me, event: { eventType: "utterance" }, problem: "floor not granted" };
  const output = listener.log(refused);
  expect(errorsIn(output)[0]?.details).toMatch(/^nobody heard your words: floor not granted\. Try again later/u);
  expect(textIn(output)).toContain("floor not granted");
});
