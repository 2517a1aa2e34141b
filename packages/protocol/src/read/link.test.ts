import fc from "fast-check";
import { expect, test } from "vitest";
import type { Feature } from "../model/feature.ts";
import {
  checkedPlacesMax,
  createLinkCheck,
  leadsSomewhere,
  linkCharactersMax,
  linkMatchesMax,
  linkPlacesMax,
  resolveLink,
} from "./link.ts";

const question = "what is the weather forecast for tomorrow";

const features: Record<string, Feature> = {
  text: { mimeType: "text/plain", tokens: [{ value: question }, { value: "please", confidence: 0.5 }] },
  "custom-mode": { mimeType: "application/json", tokens: [{ value: { list: [0, 1, 2, 3, 4], "it's": "quoted" } }] },
  audio: { mimeType: "audio/wav", tokens: [{ valueUrl: "https://media.example/1.wav" }] },
};
const list = "$.custom-mode.tokens[0].value.list";

test.each<[string, unknown[]]>([
  ["$", [features]],
  ["$.text.tokens[0].value", [question]],
  ["$['text']['tokens'][1]['value']", ["please"]],
  ['$["text"].tokens[ 1 ].value', ["please"]],
  ["$.custom-mode.mimeType", ["application/json"]],
  ["$['custom-mode'].tokens[0].value['it\\'s']", ["quoted"]],
  ["$.text.tokens[-1].value", ["please"]],
  ["$.text.tokens[*].value", [question, "please"]],
  ["$.text.tokens.*.value", [question, "please"]],
  ["$.*.mimeType", ["text/plain", "application/json", "audio/wav"]],
  ["$..confidence", [0.5]],
  ["$..['confidence', 'list'][0]", [0]],
  ["$.text..value", [question, "please"]],
  ["$.text.tokens[0,1].value", [question, "please"]],
  ["$['text','audio'].mimeType", ["text/plain", "audio/wav"]],
  [`${list}[1:3]`, [1, 2]],
  [`${list}[:2]`, [0, 1]],
  [`${list}[-2:]`, [3, 4]],
  [`${list}[ 0 : 5 : 2 ]`, [0, 2, 4]],
  [`${list}[::-1]`, [4, 3, 2, 1, 0]],
  [`${list}[3:0:-2]`, [3, 1]],
  [`${list}[-99:99]`, [0, 1, 2, 3, 4]],
  [`${list}[4,0:2]`, [4, 0, 1]],
])("the link %s resolves to the part that it names", (link, parts) => {
  expect(resolveLink(link, features)).toEqual(parts);
  expect(leadsSomewhere(link, features)).toBe(true);
});

test.each<[string, string]>([
  ["$.text.tokens[0].value.substring(0,3)", "what"],
  ["$.text.tokens[0].value.substring( 33 , 40 )", "tomorrow"],
  ["$.text.tokens[0].value.substring(33,99)", "tomorrow"],
  ["$.text.tokens[0].value.substring(40,40)", "w"],
])("the substring in %s counts from zero, includes its end and is cut at the end of the text", (link, part) => {
  expect(resolveLink(link, features)).toEqual([part]);
});

test.each([
  "",
  "text.tokens[0].value",
  "audio/tokens[0]/value",
  "$.",
  "$text",
  "$.text.",
  "$.video.tokens[0]",
  "$.text.tokens[2]",
  "$.text.tokens[-3]",
  "$.text.tokens.length",
  "$.text.tokens[0].valu",
  "$.text.tokens[0].value[0]",
  "$.text.tokens[0].value[34 to 41]",
  "$.text.tokens[0].value.substring(41,42)",
  "$.text.tokens[0].value.substring(3,2)",
  "$.text.tokens[0].value.substring(1)",
  "$.text.tokens[0].value.substring(0,3).substring(0,0)",
  "$.text.tokens.substring(0,1)",
  `${list}[0:5:0]`,
  "$.text.tokens[?(@.confidence < 1)]",
  "$.text.tokens[(@.length-1)].value",
  "$.text.tokens[]",
  "$.text.tokens[0",
  "$.text.tokens[0,]",
  "$.constructor",
  "$.__proto__",
  "$.text['toString']",
  `$['text'${",'text'".repeat(linkCharactersMax / 7)}]`,
])("%j matches nothing", (link) => {
  expect(resolveLink(link, features)).toEqual([]);
  expect(leadsSomewhere(link, { text: { mimeType: "text/plain", tokens: features.text?.tokens ?? [] } })).toBe(false);
  expect(leadsSomewhere(link, features)).toBe(false);
});

test.each(["$.audio.tokens[0].value.words[3]", "$.audio.tokens[0]['value']", "$.audio.tokens[0].*.words", "$..words"])(
  "%s points into content at a valueUrl, so that it is valid but resolves to nothing",
  (link) => {
    expect(leadsSomewhere(link, features)).toBe(true);
    expect(resolveLink(link, features)).toEqual([]);
  },
);

test("a link with a misspelt key beside a valueUrl is invalid", () => {
  expect(leadsSomewhere("$.audio.tokens[0].value-url", features)).toBe(false);
});

test("a link has a maximum of matches", () => {
  const tokens = Array.from({ length: 2 * linkMatchesMax }, () => ({ value: "a" }));
  const huge = { text: { mimeType: "text/plain", tokens } };
  expect(resolveLink("$..value", huge)).toHaveLength(linkMatchesMax);
  expect(resolveLink("$..*..*", huge)).toHaveLength(linkMatchesMax);
});

function watched<Part extends object>(part: Part, look: () => void): Part {
  return new Proxy(part, {
    get: (target, key) => {
      look();
      const inner: unknown = Reflect.get(target, key);
      return typeof inner === "object" && inner !== null ? watched(inner, look) : inner;
    },
  });
}

test.each([`$${"..*".repeat(600)}.x`, `$..[${"7,".repeat(900)}7]`, `$${"..[0,0,0]".repeat(200)}`, "$..x", "$..*"])(
  "the search along %.20s is bounded, and a link that it does not finish counts as valid",
  (link) => {
    let nested: unknown[] = [0];
    for (let depth = 0; depth < 20; depth += 1) nested = [nested, nested];
    let looks = 0;
    const deep = watched({ custom: { mimeType: "application/json", tokens: [{ value: nested }] } }, () => {
      looks += 1;
    });
    expect(resolveLink(link, deep).length).toBeLessThanOrEqual(linkMatchesMax);
    expect(leadsSomewhere(link, deep)).toBe(true);
    expect(looks).toBeLessThan(10 * linkPlacesMax);
  },
);

test("all links of one event are checked with one walk of its features", () => {
  const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key${n}`, n]));
  let lists = 0;
  const counted = new Proxy(value, {
    ownKeys: (target) => {
      lists += 1;
      return Reflect.ownKeys(target);
    },
  });
  const leads = createLinkCheck({ custom: { mimeType: "application/json", tokens: [{ value: counted }] } });
  const judged = Array.from({ length: checkedPlacesMax / 1_000 }, () => leads("$..nothing"));
  expect(judged[0]).toBe(false);
  expect(judged.at(-1)).toBe(true);
  expect(leads("$.nothing[")).toBe(false);
  expect(lists).toBe(1);
});

const piece = fc.constantFrom(
  ..."$ . .. * [ ] ( ) ' \" , : - 0 1 -1 text tokens value .substring( \\ ?(@ \ud800 __proto__".split(" "),
);

test("no string makes a link throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(piece).map((p) => `$${p.join("")}`),
      ),
      (link) => {
        expect(leadsSomewhere(link, features) || resolveLink(link, features).length === 0).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
