import { expect, test } from "vitest";
import { complete } from "./completion.ts";

const known = {
  participants: [
    { speakerUri: "tag:ann", name: "Ann" },
    { speakerUri: "tag:bot", name: "Echo Bot" },
  ],
  agents: ["Clock", "Calculator", "Guide", "Queue"],
  conveners: ["queue", "open"],
};

test("commands are completed after the slash", () => {
  expect(complete("/wh", known)).toEqual({ part: "/wh", candidates: ["/whisper ", "/who"] });
  expect(complete("/q", known)).toEqual({ part: "/q", candidates: ["/quit"] });
  expect(complete("say /wh", known).candidates).toEqual([]);
});

test("names of participants are completed after commands that take one, and after @", () => {
  expect(complete("/whisper a", known)).toEqual({ part: "a", candidates: ["Ann "] });
  expect(complete("/w bo", known)).toEqual({ part: "bo", candidates: ["Echo Bot "] });
  expect(complete("/grant ", known).candidates).toEqual(["Ann ", "Echo Bot "]);
  expect(complete("well, @e", known)).toEqual({ part: "e", candidates: ["Echo Bot "] });
  expect(complete("well, (@echo b", known)).toEqual({ part: "echo b", candidates: ["Echo Bot "] });
});

test("an @ that is not a mention is not completed", () => {
  for (const text of ["mail me@a", "/title @a", "/whsper @a", "/who @a", "/whisper Ann @e"]) {
    expect(complete(text, known).candidates).toEqual([]);
  }
  expect(complete("see /usr/bin, @a", known).candidates).toEqual(["Ann "]);
});

test("text after a name is not completed", () => {
  expect(complete("/whisper Echo Bot a", known).candidates).toEqual([]);
  expect(complete("ann", known).candidates).toEqual([]);
});

test("agents, formats and commands are completed where the command takes them", () => {
  expect(complete("/invite c", known).candidates).toEqual(["Clock", "Calculator"]);
  expect(complete("/convener n", known).candidates).toEqual(["none"]);
  expect(complete("/convener q", known)).toEqual({ part: "q", candidates: ["queue"] });
  expect(complete("/export m", known).candidates).toEqual(["markdown", "mermaid"]);
  expect(complete("/help re", known).candidates).toEqual(["request", "revoke", "resume", "refuse"]);
});
