import type { RuleId } from "@plenary/protocol";
import { type NegativeCase, refused } from "../case.ts";

const flawed = (name: string, rule: RuleId, path: string, text: string): NegativeCase => ({
  name,
  rule,
  path,
  ...refused,
  text,
});
const notJson = (name: string, text: string) => flawed(name, "json-syntax", "", text);
const before = '{"openFloor":{"schema":{"version":"1.1.0"},';
const rest =
  '"conversation":{"id":"c"},"sender":{"speakerUri":"tag:ann.example,2025:1"},"events":[{"eventType":"bye"}]}}';

/** Lists within lists, `depth` levels of them. */
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

export const jsonCases: readonly NegativeCase[] = [
  notJson("empty text is not a document", ""),
  notJson("blanks alone are not a document", " \n\t"),
  notJson("a document cut off in the middle is refused", `${before}"conversation":{"id":`),
  notJson("a document cut off before its last brace is refused", (before + rest).slice(0, -1)),
  notJson("a comma after the last key is refused", '{"openFloor":{},}'),
  notJson("a comma after the last item is refused", '{"openFloor":{"events":[1,]}}'),
  notJson("NaN is not JSON", '{"openFloor":NaN}'),
  notJson("Infinity is not JSON", '{"openFloor":-Infinity}'),
  notJson("a lone quote is refused", '"'),
  notJson("single quotes are refused", "{'openFloor':{}}"),
  notJson("a key without quotes is refused", "{openFloor:{}}"),
  notJson("a comment is refused", `${before}/* hello */${rest}`),
  notJson("two documents in one text are refused", `${before}${rest}${before}${rest}`),
  notJson("a byte order mark is refused", `\uFEFF${before}${rest}`),
  notJson("a line break inside a string is refused", '{"openFloor":"a\nb"}'),
  notJson("a number with a leading zero is refused", '{"openFloor":01}'),
  notJson("an unknown escape is refused", '{"openFloor":"\\x41"}'),
  notJson("a NUL byte is refused", "\u0000"),
  notJson("plain words are not JSON", "Hello, floor!"),
  flawed("half a surrogate pair in a value is refused", "json-surrogate", "/a/0", '{"a":["\\ud83d"]}'),
  flawed("half a surrogate pair in a key is refused", "json-surrogate", "/a", '{"a":{"\\udc4b":1}}'),
  flawed("a second root key is refused", "json-duplicate-key", "/openFloor", '{"openFloor":{},"openFloor":{}}'),
  flawed(
    "a second speakerUri is refused, for readers would disagree who speaks",
    "json-duplicate-key",
    "/openFloor/sender/speakerUri",
    `${before}${rest.replace('{"speakerUri"', '{"speakerUri":"tag:bot.example,2025:1","speakerUri"')}`,
  ),
  flawed(
    "a second key in an item of a list is found there",
    "json-duplicate-key",
    "/openFloor/events/1/eventType",
    '{"openFloor":{"events":[{"eventType":"bye"},{"eventType":"bye","eventType":"bye"}]}}',
  ),
  flawed("a second key hidden by an escape is refused", "json-duplicate-key", "/id", '{"id":"a","\\u0069d":"b"}'),
  flawed("a key with a slash is escaped in the pointer", "json-duplicate-key", "/a~1b", '{"a/b":1,"a/b":2}'),
  flawed("a key with a tilde is escaped in the pointer", "json-duplicate-key", "/a~0b", '{"a~b":1,"a~b":2}'),
  flawed(
    "the second key is found behind strings that look like keys",
    "json-duplicate-key",
    "/b",
    '{"a":"b","b":"{\\"a\\":","b":1}',
  ),
  flawed("an empty key given twice is refused", "json-duplicate-key", "/", '{"":1,"":2}'),
  flawed(
    "the key __proto__ is refused",
    "json-forbidden-key",
    "/openFloor/__proto__",
    `${before}"__proto__":{"admin":true},${rest}`,
  ),
  flawed(
    "the key __proto__ is refused when written with an escape",
    "json-forbidden-key",
    "/openFloor/__proto__",
    `${before}"\\u005f_proto__":{"admin":true},${rest}`,
  ),
  flawed(
    "the key constructor is refused",
    "json-forbidden-key",
    "/openFloor/events/0/constructor",
    `${before}${rest.replace('"eventType"', '"constructor":{"prototype":{}},"eventType"')}`,
  ),
  flawed(
    "the key prototype is refused",
    "json-forbidden-key",
    "/openFloor/prototype",
    `${before}"prototype":1,${rest}`,
  ),
  flawed(
    "a 33rd level of nesting is refused",
    "json-depth",
    `/openFloor/deep${"/0".repeat(30)}`,
    `${before}"deep":${nested(31)},${rest}`,
  ),
  flawed("a tower of ten thousand lists is refused", "json-depth", "/0".repeat(32), nested(10_000)),
  flawed("a number beyond a double is refused", "json-number", "/openFloor/score", `${before}"score":1e999,${rest}`),
  flawed(
    "a negative number beyond a double is refused",
    "json-number",
    "/openFloor/scores/1",
    `${before}"scores":[1,-1e999],${rest}`,
  ),
];
