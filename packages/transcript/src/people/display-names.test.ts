import { describe, expect, test } from "vitest";
import type { Identification } from "../transcript.ts";
import { nameIn, nameOf, speakerWords } from "./display-names.ts";

const me = "tag:me.example,2026:ann";

function known(...people: readonly [speakerUri: string, conversationalName: string][]) {
  const pairs = people.map(([speakerUri, conversationalName]) => [
    speakerUri,
    { speakerUri, conversationalName } as Identification,
  ]);
  return { me, identifications: new Map(pairs as [string, Identification][]) };
}

function called(conversationalName: string): string {
  const speakerUri = "tag:echo.example,2026:echo";
  return nameOf(speakerUri, { speakerUri, conversationalName } as Identification);
}

describe("the name of an agent", () => {
  test("is shown on one line, without direction overrides and control characters", () => {
    expect(called("Ec\u202Eho\nthe \u0007bell\u2069")).toBe("Echo the bell");
  });

  test.each(["", "  ", "\u200B\u200D", "\u3164", "\u2800", "\u202E\u2066", "\n"])(
    "is replaced by a part of its URI if it is %j",
    (name) => {
      expect(called(name)).toBe("echo");
    },
  );

  test.each(["🦜", "Ünsal Ö.", "山田", "علی‌رضا"])("is kept if it is %s", (name) => expect(called(name)).toBe(name));

  test("is cleaned in the same way if it comes from the URI", () => {
    expect(nameOf("tag:evil,2026:a\u202Eb", undefined)).toBe("ab");
    expect(nameOf("tag:evil,2026:\u3164", undefined)).toBe("2026");
  });
});

describe("two conversants with the same name", () => {
  test("are distinguished by a number, and the first keeps its name", () => {
    const circle = known(["tag:a", "Echo"], ["tag:b", "ECHO"], ["tag:c", "Ec\u200Bho"]);
    const names = ["tag:a", "tag:b", "tag:c"].map((uri) => nameIn(circle, uri));
    expect(names.map((name) => name.replaceAll("\u200B", ""))).toEqual(["Echo", "ECHO (2)", "Echo (3)"]);
  });

  test("get no number that another name already has", () => {
    const circle = known(["tag:a", "Echo"], ["tag:b", "Echo (2)"], ["tag:c", "Echo"]);
    expect(nameIn(circle, "tag:c")).toBe("Echo (3)");
  });

  test("are numbered so that the reader keeps the plain name", () => {
    const circle = known(["tag:evil", "ann"], [me, "Ann"], ["tag:worse", "You"]);
    expect(nameIn(circle, me)).toBe("Ann");
    expect(nameIn(circle, "tag:evil")).toBe("ann (2)");
    expect(nameIn(circle, "tag:worse")).toBe("You (2)");
  });

  test("are not numbered if both URIs belong to one conversant", () => {
    const { identifications } = known(["tag:echo", "Echo"]);
    const one = identifications.get("tag:echo") as Identification;
    const circle = { me, identifications: new Map([["https://echo.example", one], ...identifications]) };
    expect(nameIn(circle, "https://echo.example")).toBe("Echo");
    expect(nameIn(circle, "tag:echo")).toBe("Echo");
  });
});

test("an unknown speaker does not get the name of a known one", () => {
  const circle = known(["tag:bob.example,2026:bob", "Bob"]);
  expect(nameIn(circle, "tag:evil.example,2026:bob")).toBe("tag:evil.example,2026:bob");
  expect(nameIn(circle, "tag:evil.example,2026:you")).toBe("tag:evil.example,2026:you");
  expect(nameIn(circle, "tag:elsewhere.example,2026:oracle")).toBe("oracle");
});

test("the speaker is the sender, and the claimed speaker is named beside it", () => {
  const name = (speakerUri: string) => speakerUri.slice(4);
  expect(speakerWords({ sender: "tag:Ada" }, name)).toBe("Ada");
  expect(speakerWords({ sender: "tag:Ada", relayedFrom: "tag:Bob" }, name)).toBe("Ada, relaying Bob");
});
