import { expect, test } from "vitest";
import { bye, getManifests, invite, revokeFloor, textUtterance } from "../build/build.ts";
import type { To } from "../model/event.ts";
import { address, isOwnName, isPrivate } from "./addressee.ts";

const me = { speakerUri: "tag:bot.example,2025:1", serviceUrl: "https://bot.example/agent" };
const elsewhere = "https://other.example";
const said = { speakerUri: "tag:ann.example,2025:1", id: "de:1", startTime: "2025-01-31T10:05:00Z" };
const saying = (to: To) => textUtterance("hello", { ...said, to });

test("an event without `to` is for all", () => {
  expect(address(textUtterance("hello", said), me)).toBe("all");
  expect(address(bye(), me)).toBe("all");
});

test.each<[To, "me" | "other"]>([
  [{ speakerUri: me.speakerUri }, "me"],
  [{ speakerUri: "tag:bot.example,2025:2" }, "other"],
  [{ serviceUrl: me.serviceUrl }, "me"],
  [{ serviceUrl: elsewhere }, "other"],
  [{ speakerUri: me.speakerUri, serviceUrl: elsewhere }, "me"],
  [{ speakerUri: "tag:bot.example,2025:2", serviceUrl: elsewhere }, "other"],
])("an utterance to %j is for %s", (to, expected) => {
  expect(address(saying(to), me)).toBe(expected);
  expect(address(revokeFloor({ to }), me)).toBe(expected);
  expect(address(getManifests({ to }), me)).toBe(expected);
});

test.each<[To & { serviceUrl: string }, "me" | "other"]>([
  [{ serviceUrl: me.serviceUrl }, "me"],
  [{ serviceUrl: me.serviceUrl, speakerUri: "tag:bot.example,2025:2" }, "me"],
  [{ serviceUrl: elsewhere, speakerUri: me.speakerUri }, "me"],
  [{ serviceUrl: elsewhere }, "other"],
  [{ serviceUrl: elsewhere, speakerUri: "tag:bot.example,2025:2" }, "other"],
])("an invite to %j is for %s: its speakerUri is not binding", (to, expected) => {
  expect(address(invite({ to }), me)).toBe(expected);
});

const seatOf = (speakerUri: string, serviceUrl: string) => ({
  identification: { speakerUri, serviceUrl, organization: "", conversationalName: "", synopsis: "" },
});

test("my serviceUrl with an unknown speakerUri is for me, except in getManifests", () => {
  const to = { speakerUri: "tag:bot.example,2025:2", serviceUrl: me.serviceUrl };
  expect(address(saying(to), me)).toBe("me");
  expect(address(revokeFloor({ to }), me)).toBe("me");
  // Spec 1.17: the event asks for the manifests of that speaker, and there are none.
  expect(address(getManifests({ to }), me)).toBe("other");
});

test("my serviceUrl with the speakerUri of another conversant is for that conversant", () => {
  const to = { speakerUri: "tag:bot.example,2025:2", serviceUrl: me.serviceUrl };
  const both = [seatOf(me.speakerUri, me.serviceUrl), seatOf(to.speakerUri, me.serviceUrl)];
  expect(address(saying(to), me, both)).toBe("other");
  expect(address(saying({ speakerUri: me.speakerUri }), me, both)).toBe("me");
});

test("the only conversant at my address is me, under any speakerUri", () => {
  const listed = seatOf("urn:agent:7", "https://bot.example/agent/?key=1");
  const other = seatOf("urn:agent:8", elsewhere);
  expect(address(saying({ speakerUri: "urn:agent:7" }), me, [listed, other])).toBe("me");
  expect(address(saying({ speakerUri: "urn:agent:8" }), me, [listed, other])).toBe("other");
  const twin = seatOf("urn:agent:9", me.serviceUrl);
  expect(address(saying({ speakerUri: "urn:agent:7" }), me, [listed, twin])).toBe("other");
});

test.each<[string, boolean]>([
  [me.speakerUri, true],
  [me.serviceUrl, true],
  [`agent:${me.serviceUrl}`, true],
  ["agent:https://bot.example:443/agent/?key=1", true],
  ["tag:bot.example,2025:old", true],
  ["http://localhost:8080/", true],
  ["http://[::1]:8080/?key=1", true],
  ["agent:https://bot.example/other", false],
  ["agent:tag:bot.example,2025:1", false],
  ["http://localhost:8081/", false],
  ["https://bot.example/", false],
])("%s is one of my names: %s", (uri, isMine) => {
  const names = { ...me, aliases: ["tag:bot.example,2025:old"], addresses: ["http://127.0.0.1:8080"] };
  expect(isOwnName(uri, names)).toBe(isMine);
  expect(address(saying({ speakerUri: uri }), names)).toBe(isMine ? "me" : "other");
});

test("the query of an address counts if it distinguishes two conversants", () => {
  const names = { speakerUri: me.speakerUri, serviceUrl: "https://bot.example/?agent=a" };
  const listed = [seatOf(me.speakerUri, names.serviceUrl), seatOf("tag:b", "https://bot.example/?agent=b")];
  const addressee = (agent: string) =>
    address(saying({ serviceUrl: `https://bot.example/?agent=${agent}` }), names, listed);
  expect([addressee("a"), addressee("b"), addressee("c")]).toEqual(["me", "other", "me"]);
});

test("a conversant without a serviceUrl is reached by speakerUri only", () => {
  const person = { speakerUri: "tag:ann.example,2025:1" };
  expect(address(saying({ speakerUri: person.speakerUri }), person)).toBe("me");
  expect(address(saying({ serviceUrl: me.serviceUrl }), person)).toBe("other");
});

test("an address in another letter case or with a final slash is recognized", () => {
  expect(address(saying({ speakerUri: "tag:Bot.example,2025:1" }), me)).toBe("me");
  expect(address(saying({ serviceUrl: "HTTPS://bot.example/agent/" }), me)).toBe("me");
});

test("only an utterance can be private", () => {
  const to = { speakerUri: me.speakerUri, private: true };
  expect(isPrivate(saying(to))).toBe(true);
  expect(isPrivate(saying({ ...to, private: false }))).toBe(false);
  expect(isPrivate(textUtterance("hello", said))).toBe(false);
  expect(isPrivate(revokeFloor({ to }))).toBe(false);
});
