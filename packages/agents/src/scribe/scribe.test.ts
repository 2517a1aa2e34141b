import { describe, expect, test } from "vitest";
import { scribe, scribeFixture, uriOf } from "../testing/scribe-fixture.ts";

const seatedWith = (...names: string[]) => ["Ann", "Bob", "Scribe", ...names];

describe("the scribe answers", () => {
  test("an unclear request of a person with one line of examples, and of an agent not at all", async () => {
    const stage = scribeFixture({ seated: seatedWith("CLOCK") });
    await stage.invite("Ann");
    const [line, ...others] = await stage.say("Ann", "@Scribe fetch me a coffee");
    expect(line?.text).toMatch(/^I keep the record\. Ask me: "summary of the last hour"[^\n]*$/u);
    expect(others).toEqual([]);
    expect(await stage.say("CLOCK", "Scribe, it is noon.")).toEqual([]);
    expect(await stage.say("CLOCK", "it is noon", { to: "Scribe" })).toEqual([]);
  });

  test("an agent that calls it with a clear question, but not one that does not call it", async () => {
    const stage = scribeFixture({ seated: seatedWith("CLOCK") });
    await stage.invite("Ann");
    await stage.say("Ann", "Lunch is at noon.");
    expect(await stage.say("CLOCK", "who mentioned lunch?")).toEqual([]);
    expect(await stage.say("CLOCK", "who mentioned lunch?", { to: "Scribe" })).toMatchObject([
      { text: expect.stringContaining("Lunch is at noon."), isPrivate: false },
    ]);
  });

  test("a whispered question in a whisper", async () => {
    const stage = scribeFixture({ seated: seatedWith() });
    await stage.invite("Ann");
    const whispered = await stage.say("Ann", "summarise", { to: "Scribe", isWhisper: true });
    expect(whispered).toMatchObject([{ isPrivate: true }]);
    expect(await stage.say("Ann", "summarise", { to: "Scribe" })).toMatchObject([{ isPrivate: false }]);
  });

  test("no utterance to another conversant", async () => {
    const stage = scribeFixture({ seated: seatedWith() });
    await stage.invite("Ann");
    expect(await stage.say("Ann", "summarise the conversation", { to: "Bob" })).toEqual([]);
    expect(await stage.say("Ann", "Bob, summarise the conversation")).toEqual([]);
    expect(await stage.say("Ann", "summarise the conversation")).toHaveLength(1);
  });
});

test("the scribe says since when it has listened, and when others joined and left", async () => {
  const seated = seatedWith();
  const stage = scribeFixture({ seated });
  await stage.invite("Ann");
  const ask = async (text: string) => (await stage.say("Ann", `Scribe, ${text}`))[0]?.text;
  expect(await ask("since when have you been listening?")).toMatch(/^I have listened since \d\d:\d\d UTC\.$/u);
  expect(await ask("when did Bob join?")).toMatch(/^I do not know when Bob joined\. I have listened since/u);
  seated.push("Dan");
  await stage.say("Bob", "Hello Dan.");
  expect(await ask("when did Dan join?")).toMatch(/^Dan joined at \d\d:\d\d UTC\.$/u);
  await stage.send("Dan", { eventType: "bye" });
  seated.pop();
  expect(await ask("when did Dan leave?")).toMatch(/^Dan left at \d\d:\d\d UTC\.$/u);
});

test("the record has utterances to others and the history of the invite", async () => {
  const stage = scribeFixture({ seated: seatedWith() });
  const before = stage.utteranceBy("Bob", "The lake is frozen.").parameters.dialogEvent;
  await stage.invite("Ann", { dialogHistory: [before] });
  await stage.say("Ann", "Then let us skate.", { to: "Bob" });
  const [answer] = await stage.say("Ann", "Scribe, who said what?");
  expect(answer?.text).toContain("The lake is frozen.");
  expect(answer?.text).toContain("Then let us skate.");
});

describe("an export", () => {
  test.each([
    ["export", "text/markdown", "**Ann**"],
    ["export as mermaid", "text/vnd.mermaid", "sequenceDiagram"],
    ["export as jsonl", "application/jsonl", '{"plenary":"conversation"'],
  ])("%s is a file of the type %s", async (question, mimeType, part) => {
    const stage = scribeFixture({ seated: seatedWith() });
    await stage.invite("Ann");
    await stage.say("Ann", "Lunch is at noon.");
    const [answer] = await stage.say("Ann", question, { to: "Scribe" });
    expect(answer?.text).toMatch(/^The transcript as everyone here may see it, as .*: \d+ events, text only\.$/u);
    expect(answer?.file?.mimeType).toBe(mimeType);
    expect(answer?.file?.value).toContain(part);
    expect(answer?.file?.value).toContain("Lunch is at noon.");
  });

  test("of an unknown format lists the known ones", async () => {
    const stage = scribeFixture({ seated: seatedWith() });
    const [answer] = await stage.say("Ann", "export as pdf", { to: "Scribe" });
    expect(answer).toEqual({
      text: "I cannot export as pdf. I can export as markdown, mermaid, jsonl; for html use **Export** on the page, or `plenary export`.",
      isPrivate: false,
    });
  });

  test("that is too large drops the oldest events, and says so", async () => {
    const at = "2026-01-01T10:00:00Z";
    const stageOf = scribeFixture({}).utteranceBy;
    const log = Array.from({ length: 200 }, (_, index) => ({
      at,
      sender: uriOf("Ann"),
      audience: [uriOf("Bob")],
      event: stageOf("Ann", `word ${index}! ${"lorem ipsum ".repeat(300)}`),
    }));
    const stage = scribeFixture({ readHistory: async () => log, seated: seatedWith() });
    const [answer] = await stage.say("Bob", "export as markdown", { to: "Scribe", isWhisper: true });
    expect(answer?.text).toMatch(/It was too long: the oldest \d+ events are left out\.$/u);
    expect(Buffer.byteLength(answer?.file?.value ?? "")).toBeLessThanOrEqual(262_144);
    expect(answer?.file?.value).toContain("word 199!");
    expect(answer?.file?.value).not.toContain("word 0!");
  });
});

test("the memory is bounded: the oldest events are dropped", async () => {
  const stage = scribeFixture({ seated: seatedWith() });
  await stage.invite("Ann");
  for (let sent = 0; sent < 10; sent += 1) {
    const flood = Array.from({ length: 20 }, () => stage.utteranceBy("Bob", `tide ${"x".repeat(20_000)}`));
    await stage.send("Bob", ...flood);
  }
  const [answer] = await stage.say("Ann", "Scribe, how often did Bob speak?");
  const [, count] = /^(\d+) utterances by Bob\./u.exec(answer?.text ?? "") ?? [];
  expect(Number(count)).toBeGreaterThan(50);
  expect(Number(count)).toBeLessThanOrEqual(120);
});

test("the manifest has the speakerUri and the role archivist", async () => {
  const stage = scribeFixture({ seated: seatedWith() });
  const [manifests] = await stage.send("Ann", { eventType: "getManifests", to: { speakerUri: scribe } });
  expect(JSON.stringify(manifests)).toContain('"openFloorRoles":{"archivist":true}');
});
