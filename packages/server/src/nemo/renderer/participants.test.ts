import { expect, test } from "vitest";
import { fox, me, owl, RendererFixture, startMs, stepsIn, textIn } from "../../testing/nemo-renderer.ts";

/** Owl has told its name; Fox has come and not yet. */
function withNewcomer(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.joins(fox, "");
  return fixture;
}

test("the greeting of one who has just come waits for its name", () => {
  const fixture = withNewcomer();
  expect(fixture.says(fox, "Yip")).toEqual([]);
  expect(fixture.renderer.isWaitingForName()).toBe(true);
  expect(textIn(fixture.joins(fox, "Reynard"))).toBe("**Reynard:** Yip\n\n");
  expect(fixture.renderer.isWaitingForName()).toBe(false);
});

test("also when it comes under another address than it was invited by", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  const identification = { speakerUri: fox, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  fixture.joins("http://127.0.0.1:1/fox", "");
  fixture.log({ kind: "renamed", from: "http://127.0.0.1:1/fox", to: fox, identification });
  fixture.event("invite", me, { target: "http://127.0.0.1:1/fox" });
  expect(fixture.says(fox, "Yip")).toEqual([]);
  const output = fixture.joins(fox, "Reynard");
  expect(textIn(output)).toBe("**Reynard:** Yip\n\n");
  expect(stepsIn(fixture.output).map(({ payload }) => payload)).toContain("Me invited Reynard");
});

test("words of others go first meanwhile, and nobody is interrupted by it", () => {
  const fixture = withNewcomer();
  fixture.says(fox, "Yip");
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hoo " }))).toBe("**Owl:** Hoo ");
  expect(textIn(fixture.joins(fox, "Reynard"))).toBe("");
  expect(textIn(fixture.says(owl, "Hoo hoo", { id: "d" }))).toBe("hoo\n\n**Reynard:** Yip\n\n");
});

test("who tells no name in half a second goes on under its address, in drafts too", () => {
  const fixture = withNewcomer();
  expect(fixture.drafts(fox, "d", { delta: "Yip " })).toEqual([]);
  expect(fixture.renderer.nextAtMs()).toBe(startMs + 500);
  expect(textIn(fixture.passes(500))).toBe("**fox:** Yip ");
  expect(fixture.renderer.nextAtMs()).toBeUndefined();
  expect(textIn(fixture.drafts(fox, "d", { delta: "yip" }))).toBe("yip");
});

test("the end of the turn waits for no name", () => {
  const fixture = withNewcomer();
  fixture.says(fox, "Yip");
  expect(textIn(fixture.completes())).toBe("**fox:** Yip\n\n");
});

test("that somebody joined is a step once its name is known, or when the turn ends", () => {
  const joined = (fixture: RendererFixture) => stepsIn(fixture.output).filter(({ name }) => / joined$/u.test(name));
  const named = withNewcomer();
  expect(joined(named)).toHaveLength(1);
  named.joins(fox, "Reynard");
  expect(joined(named)[1]?.payload).toBe("Reynard joined");
  const unnamed = withNewcomer();
  unnamed.completes();
  expect(joined(unnamed)[1]?.payload).toBe("fox joined");
});

test("nobody waits for the name of a person, or of an agent that came long ago", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "");
  fixture.joins("tag:bea", "", "person");
  fixture.nowMs += 60_000;
  fixture.begins();
  expect(textIn(fixture.says(owl, "Hoo"))).toBe("**owl:** Hoo\n\n");
  expect(textIn(fixture.says("tag:bea", "Hi"))).toBe("**bea:** Hi\n\n");
});

test("of very much that is said before a name is known nothing is held back", () => {
  const fixture = withNewcomer();
  for (let number = 1; number <= 201; number += 1) fixture.says(fox, `word ${number}.`);
  expect(textIn(fixture.output)).toContain("word 1.");
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hoo" }))).toContain("Hoo");
});
