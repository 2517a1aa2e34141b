import fc from "fast-check";
import { expect, test } from "vitest";
import { fox, me, owl, promptsIn, RendererFixture, textIn } from "../../testing/nemo-renderer.ts";
import type { NemoOutput } from "../participant.ts";

/** Random events: three speakers with drafts, one with a late name, whispers, turns and questions. */
const elk = "tag:elk";
const speaker = fc.constantFrom(owl, fox, elk);
const floorEvent = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("piece" as const), who: speaker, slot: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("say" as const), who: speaker, slot: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), who: speaker, slot: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("secret" as const), who: speaker, slot: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("own" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ask" as const), who: speaker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("answer" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(200, 25_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("come" as const), name: fc.constantFrom("", "Elk") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("begin" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("complete" as const) }) },
);

type FloorEventKind = typeof floorEvent extends fc.Arbitrary<infer One> ? One : never;

/** Plays random events, and remembers the words of the utterances. */
class Play {
  readonly fixture = new RendererFixture();
  readonly sentWords: string[] = [];
  readonly #drafts = new Map<string, { id: string; words: string[] }>();
  #number = 0;

  constructor() {
    for (const [uri, name] of [
      [owl, "Owl"],
      [fox, "Fox"],
      [elk, ""],
    ] as const)
      this.fixture.joins(uri, name);
  }

  play(one: FloorEventKind): void {
    const { fixture } = this;
    if (one.kind === "begin") fixture.begins();
    else if (one.kind === "complete") fixture.completes("trace");
    else if (one.kind === "own") fixture.says(me, "OWN");
    else if (one.kind === "secret") fixture.says(one.who, "SECRET", { to: "tag:other", isPrivate: true });
    else if (one.kind === "ask") fixture.asks(one.who, this.#question());
    else if (one.kind === "answer") this.#answer();
    else if (one.kind === "wait") fixture.passes(one.ms);
    else if (one.kind === "come") fixture.joins(elk, one.name);
    else this.#speak(one);
  }

  /** Each word is unique: `<speaker's letter><number>.` */
  #speak({ kind, who, slot }: Extract<FloorEventKind, { slot: number }>): void {
    const { fixture } = this;
    const key = `${who} ${slot}`;
    const draft = this.#drafts.get(key) ?? { id: `${key} ${this.#next()}`, words: [] };
    const word = `${who.charAt(4)}${this.#next()}. `;
    if (kind === "piece") {
      draft.words.push(word);
      this.#drafts.set(key, draft);
      fixture.drafts(who, draft.id, { delta: word });
      return;
    }
    this.#drafts.delete(key);
    if (kind === "drop") {
      fixture.drafts(who, draft.id, { end: "dropped" });
      return;
    }
    const text = [...draft.words, word].join("");
    this.sentWords.push(...text.trim().split(" "));
    fixture.says(who, text, { id: draft.id });
    fixture.drafts(who, draft.id, { end: "final" });
  }

  #question(): object {
    const number = this.#next();
    return { id: `q${number}`, text: `Is it (${number})?`, input_type: "binary_choice", timeout: 60 };
  }

  #answer(): void {
    const { fixture } = this;
    const reply = fixture.renderer.reply(["Yes"], fixture.nowMs);
    if (reply.kind === "lack") fixture.keep([...reply.output]);
    else fixture.keep(fixture.renderer.replyAccepted(fixture.nowMs));
  }

  #next(): number {
    this.#number += 1;
    return this.#number;
  }
}

const floorEvents = fc.array(floorEvent, { maxLength: 60 });

function played(all: readonly FloorEventKind[]): Play {
  const play = new Play();
  for (const one of all) play.play(one);
  play.fixture.begins();
  play.fixture.completes();
  return play;
}

test("each word of an utterance is sent exactly once, in any order of drafts, utterances and turns", () => {
  fc.assert(
    fc.property(floorEvents, (all) => {
      const { fixture, sentWords } = played(all);
      const output = textIn(fixture.output);
      for (const word of sentWords) expect(output.split(word).length - 1, word).toBe(1);
      expect(output).not.toMatch(/SECRET|OWN/u);
    }),
    { numRuns: 100 },
  );
});

test("the text under the name of a speaker has no words of another", () => {
  fc.assert(
    fc.property(floorEvents, (all) => {
      const text = textIn(played(all).fixture.output);
      for (const [, name = "", words = ""] of text.matchAll(/\*\*(\w+):\*\* ((?:[a-z]\d+\. ?)+)/gu)) {
        const message = name.charAt(0).toLowerCase();
        for (const word of words.trim().split(" ")) expect(word.charAt(0), text).toBe(message);
      }
      // No words are outside a named run.
      expect(text.replace(/\*\*(\w)\w+:\*\* (?:[a-z]\d+\. ?)+/gu, "")).not.toMatch(/[a-z]\d+\./u);
    }),
    { numRuns: 100 },
  );
});

test("each turn has one complete, and after it only the trace until the next turn begins", () => {
  fc.assert(
    fc.property(floorEvents, (all) => {
      const play = new Play();
      for (const one of all) {
        const before = play.fixture.output.length;
        const wasOpen = play.fixture.renderer.isOpen();
        play.play(one);
        const output = play.fixture.output.slice(before).map(({ kind }) => kind);
        if (one.kind === "complete" && wasOpen) expect(output.slice(-2)).toEqual(["complete", "trace"]);
        const ends = output.filter((kind) => kind === "complete").length;
        // Outside a turn, only an unexpected reply gets output: an error that ends the client's wait.
        if (one.kind === "answer" && !wasOpen && ends > 0) expect(output).toEqual(["error", "delta", "complete"]);
        else expect(ends).toBe(one.kind === "complete" && wasOpen ? 1 : 0);
        if (!wasOpen && one.kind !== "begin" && one.kind !== "answer") expect(output).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

test("a turn shows exactly one open question, if there is any", () => {
  fc.assert(
    fc.property(floorEvents, (all) => {
      const play = new Play();
      const { fixture } = play;
      // The name of the asking agent may have arrived meanwhile.
      const textsOf = (output: NemoOutput[]) => promptsIn(output).map(({ text }) => text.replace(/^\w+: /u, ""));
      const shown = () => textsOf(fixture.renderer.repeatPrompt(fixture.nowMs));
      for (const one of all) {
        const [before, count] = [shown(), fixture.output.length];
        play.play(one);
        const output = textsOf(fixture.output.slice(count));
        const { renderer } = fixture;
        expect(shown()).toHaveLength(renderer.isOpen() && renderer.hasPrompt() ? 1 : 0);
        const isSame = one.kind !== "begin" && before[0] === shown()[0];
        if (renderer.isOpen()) expect(output).toEqual(isSame ? [] : shown());
      }
    }),
    { numRuns: 100 },
  );
});
