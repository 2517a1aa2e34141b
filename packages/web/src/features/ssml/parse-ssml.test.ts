import { describe, expect, test } from "vitest";
import { parseSsml } from "./parse-ssml.ts";

const said = (source: string) => parseSsml(source).map(({ text }) => text);
const first = (source: string) => parseSsml(source)[0];

describe("SSML", () => {
  test("plain text is one segment with default prosody", () => {
    expect(parseSsml("<speak>Hello,\n  Ann.</speak>")).toEqual([
      { text: "Hello, Ann.", pauseBeforeMs: 0, rate: 1, pitch: 1, volume: 1 },
    ]);
  });

  test("a break parts two segments", () => {
    const segments = parseSsml('<speak>One <break time="750ms"/> two<break time="1.5s"/>three <break/> four</speak>');
    expect(segments.map(({ text, pauseBeforeMs }) => [text, pauseBeforeMs])).toEqual([
      ["One", 0],
      ["two", 750],
      ["three", 1500],
      ["four", 500],
    ]);
  });

  test.each([
    ['strength="none"', 0],
    ['strength="x-strong"', 1500],
    ['time="99999s"', 10_000],
    ['time="soon"', 500],
  ])("a break with %s", (attributes, ms) => {
    const [, second] = parseSsml(`<speak><s>a</s>b</speak>`.replace("</s>b", `</s><break ${attributes}/>b`));
    expect(second?.pauseBeforeMs).toBe(Math.max(300, ms));
  });

  test("no pause comes before the first word", () => {
    expect(first('<speak><p><break time="3s"/>Hello</p></speak>')?.pauseBeforeMs).toBe(0);
  });

  test("paragraphs and sentences are set apart", () => {
    const segments = parseSsml("<speak><p><s>One.</s><s>Two.</s></p><p>Three.</p></speak>");
    expect(segments.map(({ pauseBeforeMs }) => pauseBeforeMs)).toEqual([0, 300, 600]);
  });

  test.each([
    ['rate="slow"', { rate: 0.75 }],
    ['rate="80%"', { rate: 0.8 }],
    ['rate="+50%"', { rate: 1.5 }],
    ['rate="1.2"', { rate: 1.2 }],
    ['rate="900000%"', { rate: 4 }],
    ['rate="-100%"', { rate: 0.25 }],
    ['pitch="x-high"', { pitch: 1.5 }],
    ['pitch="+12st"', { pitch: 2 }],
    ['pitch="200Hz"', { pitch: 1 }],
    ['volume="silent"', { volume: 0 }],
    ['volume="-20dB"', { volume: 0.1 }],
    ['volume="+6dB"', { volume: 1 }],
    ['volume="50"', { volume: 0.5 }],
    ["rate='fast' pitch='low'", { rate: 1.25, pitch: 0.75 }],
  ])("prosody %s", (attributes, manner) => {
    expect(first(`<speak><prosody ${attributes}>x</prosody></speak>`)).toMatchObject(manner);
  });

  test("nested prosody ends with its element", () => {
    const segments = parseSsml(
      '<speak>a <prosody rate="slow">b <emphasis level="strong">c</emphasis></prosody> d</speak>',
    );
    expect(segments).toMatchObject([
      { text: "a", rate: 1 },
      { text: "b", rate: 0.75 },
      { text: "c", rate: 0.75, emphasis: "strong" },
      { text: "d", rate: 1 },
    ]);
    expect(segments[3]).not.toHaveProperty("emphasis");
  });

  test("a language applies to its element", () => {
    const segments = parseSsml(
      '<speak xml:lang="en-GB">Say <lang xml:lang="fr">bonjour</lang> to <voice languages="de">Uwe</voice></speak>',
    );
    expect(segments.map(({ text, language }) => [text, language])).toEqual([
      ["Say", "en-GB"],
      ["bonjour", "fr"],
      ["to", "en-GB"],
      ["Uwe", "de"],
    ]);
  });

  test("sub is read as its alias, say-as letter by letter, phoneme as its words", () => {
    expect(said('<speak><sub alias="World Wide Web Consortium">W3C</sub></speak>')).toEqual([
      "World Wide Web Consortium",
    ]);
    expect(said('<speak><say-as interpret-as="characters">W3 C</say-as></speak>')).toEqual(["W 3 C"]);
    expect(said('<speak><say-as interpret-as="date">1 May</say-as></speak>')).toEqual(["1 May"]);
    expect(said('<speak><phoneme ph="təˈmɑːtəʊ">tomato</phoneme></speak>')).toEqual(["tomato"]);
  });

  test("audio keeps only its fallback text", () => {
    expect(
      said('<speak>a <audio src="http://phone.example/a"><desc>bell</desc>ding</audio> <mark name="m"/>b</speak>'),
    ).toEqual(["a ding b"]);
  });

  test.each([
    ["no root at all", "no root at all"],
    ["<speak>never closed <p>at all", "never closed at all"],
    ["<speak>wrong </prosody>end</speak>", "wrong end"],
    ["<speak>2 < 3 &amp; 5 &gt; 4</speak>", "2 < 3 & 5 > 4"],
    ["<speak><![CDATA[<b>raw</b>]]></speak>", "<b>raw</b>"],
    ["<speak><!-- a > b -->said<?php x ?></speak>", "said"],
    ["<speak><unknown:thing a='>'>kept</unknown:thing></speak>", "kept"],
    ["<speak>&#72;&#x69; &#0;&#9999999;</speak>", "Hi &#0;&#9999999;"],
    ["<speak><constructor>x</constructor><__proto__>y</__proto__></speak>", "xy"],
  ])("%s is tolerated", (source, text) => expect(said(source).join(" ")).toBe(text));

  test("entities of a document type are not expanded", () => {
    const bomb = '<!DOCTYPE speak [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><speak>&b;</speak>';
    expect(said(bomb)).toEqual(["&b;"]);
  });

  test("output is bounded for any input size", () => {
    expect(parseSsml("<s>a</s>".repeat(5000)).length).toBeLessThanOrEqual(500);
    expect(said(`${"<prosody rate='slow'>".repeat(2000)}deep`).join("")).toBe("deep");
    expect(said("a".repeat(200_000))[0]?.length).toBe(50_000);
    expect(said("<".repeat(50_000))[0]?.length).toBe(50_000);
  });
});
