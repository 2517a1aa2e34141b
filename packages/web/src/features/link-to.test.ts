import { describe, expect, test } from "vitest";
import { followable, hiddenHost, loadable } from "./link-to.tsx";

describe("a URL for links", () => {
  test.each(["https://ann.example/a", "http://ann.example", "mailto:ann@mail.example"])("%s", (text) =>
    expect(followable(text)).toBeDefined(),
  );

  test.each([
    ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "vbscript:x"],
    ...["data:text/html,x", "blob:https://ann.example/1", "file:///etc/passwd", "/relative", "//ann.example", "", "x"],
  ])("not %j", (text) => expect(followable(text)).toBeUndefined());

  test("media load from web addresses only", () => {
    expect(loadable("https://ann.example/a.mp3")).toBeDefined();
    expect(loadable("mailto:ann@mail.example")).toBeUndefined();
  });
});

describe("a link whose words name another host", () => {
  test.each([
    ["bank.example", "https://evil.example/", "evil.example"],
    ["https://bank.example/login", "https://evil.example/", "evil.example"],
    ["https://bank.example@evil.example/", "https://bank.example@evil.example/", "evil.example"],
    ["the bank.example page", "https://bank.example.evil.example:8443/", "bank.example.evil.example:8443"],
    ["аррӏе.example", "https://аррӏе.example/", "xn--80ak6aa92e.example"],
    ["https://evil.example/bank.example", "https://other.example/bank.example", "other.example"],
  ])("%s -> %s shows %s", (words, href, host) => expect(hiddenHost(words, new URL(href))).toBe(host));

  test.each([
    ["our page", "https://ann.example/"],
    ["ann.example", "https://www.ann.example/x"],
    ["https://ann.example/a/index.html?q=1", "https://ann.example/a/index.html?q=1"],
    ["version 1.5 is out", "https://ann.example/"],
    ["write to ann@mail.example", "mailto:ann@mail.example"],
  ])("%s -> %s shows no host", (words, href) => expect(hiddenHost(words, new URL(href))).toBeUndefined());
});
