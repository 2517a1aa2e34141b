import { beforeEach, describe, expect, test } from "vitest";
import { parseSsml } from "../ssml/parse-ssml.ts";
import {
  chunksOf,
  createSpeechQueue,
  type SpeechQueue,
  type Synthesis,
  type Voice,
  voiceOf,
  waitingMax,
} from "./speech-queue.ts";

const voice = (name: string, lang: string, localService = true): Voice => ({
  name,
  lang,
  localService,
  voiceURI: name,
});

/** A fake of the browser's speech: it records the text and ends when the test says so. */
function fakeSynthesis(voices: readonly Voice[] = []) {
  const said: string[] = [];
  const open: { words: string; end: () => void }[] = [];
  let mostAtOnce = 0;
  const begin = (words: string, onEnd: () => void) => {
    const one = { words, end: onEnd };
    open.push(one);
    said.push(words);
    mostAtOnce = Math.max(mostAtOnce, open.length);
    return () => open.splice(0, open.length, ...open.filter((other) => other !== one));
  };
  const synthesis: Synthesis = {
    voices: () => voices,
    say: (breath, onEnd) =>
      begin(breath.voice === undefined ? breath.text : `${breath.voice.name}: ${breath.text}`, onEnd),
    wait: (ms, onEnd) => begin(`(${ms} ms)`, onEnd),
  };
  return { synthesis, said, open, mostAtOnce: () => mostAtOnce, end: () => open.shift()?.end() };
}

const words = (text: string) => parseSsml(`<speak>${text}</speak>`);

describe("the speech queue", () => {
  let far: ReturnType<typeof fakeSynthesis>;
  let speaker: SpeechQueue;
  const finish = () => {
    while (far.open.length > 0) far.end();
  };
  beforeEach(() => {
    far = fakeSynthesis();
    speaker = createSpeechQueue(far.synthesis);
  });

  test("utterances do not overlap", () => {
    speaker.speak(words("one"), { speakerUri: "tag:ann" });
    speaker.speak(words("two"), { speakerUri: "tag:bob" });
    expect(far.said).toEqual(["one"]);
    expect(speaker.speaking()).toEqual({ speakerUri: "tag:ann" });
    far.end();
    expect(far.said).toEqual(["one", "two"]);
    expect(speaker.speaking()).toEqual({ speakerUri: "tag:bob" });
    far.end();
    expect(speaker.speaking()).toBeUndefined();
    expect(far.mostAtOnce()).toBe(1);
  });

  test("pauses are kept, and no other utterance starts in them", () => {
    speaker.speak(words('a <break time="400ms"/> b'), { speakerUri: "tag:ann" });
    speaker.speak(words("c"), { speakerUri: "tag:bob" });
    finish();
    expect(far.said).toEqual(["a", "(400 ms)", "b", "c"]);
    expect(far.mostAtOnce()).toBe(1);
  });

  test("stop silences at once, and later utterances are spoken", () => {
    speaker.speak(words("one"), { speakerUri: "tag:ann" });
    speaker.speak(words("two"), { speakerUri: "tag:bob" });
    speaker.stop();
    expect(far.open).toEqual([]);
    expect(speaker.speaking()).toBeUndefined();
    speaker.speak(words("three"), { speakerUri: "tag:ann" });
    finish();
    expect(far.said).toEqual(["one", "three"]);
  });

  test("listeners learn about start and end", () => {
    const heard: (string | undefined)[] = [];
    const leave = speaker.onChange(() => heard.push(speaker.speaking()?.speakerUri));
    speaker.speak(words("one"), { speakerUri: "tag:ann" });
    speaker.speak(words("two"), { speakerUri: "tag:bob" });
    finish();
    leave();
    speaker.speak(words("three"), { speakerUri: "tag:ann" });
    expect(heard).toEqual(["tag:ann", "tag:bob", undefined]);
  });

  test("a full queue drops the oldest waiting entry", () => {
    for (let count = 0; count <= waitingMax + 5; count += 1)
      speaker.speak(words(`n${count}`), { speakerUri: "tag:ann" });
    finish();
    expect(far.said.slice(0, 2)).toEqual(["n0", "n6"]);
    expect(far.said.at(-1)).toBe(`n${waitingMax + 5}`);
    expect(far.said).toHaveLength(waitingMax + 1);
  });

  test("empty speech is skipped", () => {
    speaker.speak([], { speakerUri: "tag:ann" });
    expect(speaker.speaking()).toBeUndefined();
    speaker.speak(words("one"), { speakerUri: "tag:bob" });
    expect(far.said).toEqual(["one"]);
  });

  test("the language of the text chooses the voice", () => {
    far = fakeSynthesis([voice("Anna", "de-DE"), voice("Emma", "en-GB")]);
    speaker = createSpeechQueue(far.synthesis);
    speaker.speak(words('hello <lang xml:lang="de">Welt</lang>'), { speakerUri: "tag:ann", language: "en" });
    finish();
    expect(far.said).toEqual(["Emma: hello", "Anna: Welt"]);
  });
});

describe("chunks", () => {
  test("a long text is cut between sentences, and no word is lost", () => {
    const text = Array.from({ length: 60 }, (_, index) => `This is sentence ${index}.`).join(" ");
    const breaths = chunksOf(text);
    expect(breaths.join(" ")).toBe(text);
    for (const breath of breaths) expect(breath).toMatch(/^This.{0,220}\.$/u);
  });

  test("a text without spaces is cut between characters", () => {
    const breaths = chunksOf("😀".repeat(500));
    expect(breaths.join("")).toBe("😀".repeat(500));
    for (const breath of breaths) expect(breath.isWellFormed()).toBe(true);
  });
});

describe("the voice of a conversant", () => {
  const voices = [
    voice("a", "en-US"),
    voice("b", "en-GB"),
    voice("c", "en-US"),
    voice("d", "fr-FR"),
    voice("e", "en-US", false),
  ];
  const speakers = Array.from({ length: 40 }, (_, index) => `tag:agent.example,2025:${index}`);

  test("does not depend on the order of the browser's list", () => {
    for (const speaker of speakers)
      expect(voiceOf(speaker, "en-US", [...voices].reverse())).toBe(voiceOf(speaker, "en-US", voices));
  });

  test("differs between conversants if there are several", () => {
    expect(new Set(speakers.map((speaker) => voiceOf(speaker, "en-US", voices)?.name))).toEqual(new Set(["a", "c"]));
  });

  test("matches the language, or is at least a local voice", () => {
    expect(voiceOf("tag:ann", "fr-CA", voices)?.name).toBe("d");
    expect(voiceOf("tag:ann", "en", voices)?.lang).toMatch(/^en/u);
    expect(voiceOf("tag:ann", "tlh", voices)?.localService).toBe(true);
  });

  test("is never a remote voice", () => {
    expect(voiceOf("tag:ann", "en-US", [voice("e", "en-US", false)])).toBeUndefined();
  });
});
