import { expect, test } from "vitest";
import { address, foldUri, isPrivate, isSameUri } from "./address.ts";
import { bye, getManifests, invite, revokeFloor, textUtterance } from "./build.ts";
import type { To } from "./event.ts";

const me = { speakerUri: "tag:bot.example,2025:1", serviceUrl: "https://bot.example/agent" };
const elsewhere = "https://other.example";
const said = { speakerUri: "tag:ann.example,2025:1", id: "de:1", startTime: "2025-01-31T10:05:00Z" };
const saying = (to: To) => textUtterance("hello", { ...said, to });

test("an event without to is for all", () => {
  expect(address(textUtterance("hello", said), me)).toBe("all");
  expect(address(bye(), me)).toBe("all");
});

test.each<[To, "me" | "other"]>([
  [{ speakerUri: me.speakerUri }, "me"],
  [{ speakerUri: "tag:bot.example,2025:2" }, "other"],
  [{ serviceUrl: me.serviceUrl }, "me"],
  [{ serviceUrl: elsewhere }, "other"],
  [{ speakerUri: me.speakerUri, serviceUrl: elsewhere }, "me"],
  [{ speakerUri: "tag:bot.example,2025:2", serviceUrl: me.serviceUrl }, "other"],
])("an utterance to %j is for %s: the speakerUri decides where there is one", (to, whom) => {
  expect(address(saying(to), me)).toBe(whom);
  expect(address(revokeFloor({ to }), me)).toBe(whom);
  expect(address(getManifests({ to }), me)).toBe(whom);
});

test.each<[To & { serviceUrl: string }, "me" | "other"]>([
  [{ serviceUrl: me.serviceUrl }, "me"],
  [{ serviceUrl: me.serviceUrl, speakerUri: "tag:bot.example,2025:2" }, "me"],
  [{ serviceUrl: elsewhere, speakerUri: me.speakerUri }, "me"],
  [{ serviceUrl: elsewhere }, "other"],
  [{ serviceUrl: elsewhere, speakerUri: "tag:bot.example,2025:2" }, "other"],
])("an invite to %j is for %s: its speakerUri is not binding", (to, whom) => {
  expect(address(invite({ to }), me)).toBe(whom);
});

test("whoever has no serviceUrl is reached by speakerUri only", () => {
  const person = { speakerUri: "tag:ann.example,2025:1" };
  expect(address(saying({ speakerUri: person.speakerUri }), person)).toBe("me");
  expect(address(saying({ serviceUrl: me.serviceUrl }), person)).toBe("other");
});

test("an address in other case or with a slash at its end still arrives", () => {
  expect(address(saying({ speakerUri: "tag:Bot.example,2025:1" }), me)).toBe("me");
  expect(address(saying({ serviceUrl: "HTTPS://bot.example/agent/" }), me)).toBe("me");
});

test.each([
  ["tag:a,2025:1", "tag:a,2025:1", true],
  ["https://Bot.example", "https://bot.example/", true],
  ["https://bot.example//", "https://bot.example", true],
  ["tag:a,2025:1", "tag:a,2025:12", false],
  ["https://bot.example/a", "https://bot.example", false],
  ["", "/", true],
])("%j and %j name the same: %s", (a, b, same) => {
  expect(isSameUri(a, b)).toBe(same);
  expect(isSameUri(b, a)).toBe(same);
  expect(foldUri(a) === foldUri(b)).toBe(same);
});

test("only an utterance can be private", () => {
  const to = { speakerUri: me.speakerUri, private: true };
  expect(isPrivate(saying(to))).toBe(true);
  expect(isPrivate(saying({ ...to, private: false }))).toBe(false);
  expect(isPrivate(textUtterance("hello", said))).toBe(false);
  expect(isPrivate(revokeFloor({ to }))).toBe(false);
});
