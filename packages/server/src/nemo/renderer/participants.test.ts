import { expect, test } from "vitest";
import { fox, me, owl, RendererFixture, startMs, stepsIn, textIn } from "../../testing/nemo-renderer.ts";

/** The name of Owl is known; Fox joined without a name. */
function withNewcomer(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.joins(fox, "");
  return fixture;
}

test("the greeting of a new agent waits for its name", () => {
  const fixture = withNewcomer();
  expect(fixture.says(fox, "Yip")).toEqual([]);
  expect(fixture.renderer.isWaitingForName()).toBe(true);
  expect(textIn(fixture.joins(fox, "Reynard"))).toBe("**Reynard:** Yip\n\n");
  expect(fixture.renderer.isWaitingForName()).toBe(false);
});

test("it also waits when the agent joins under another address than the invited one", () => {
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

test("other utterances are sent meanwhile and are not interrupted when the name arrives", () => {
  const fixture = withNewcomer();
  fixture.says(fox, "Yip");
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hoo " }))).toBe("**Owl:** Hoo ");
  expect(textIn(fixture.joins(fox, "Reynard"))).toBe("");
  expect(textIn(fixture.says(owl, "Hoo hoo", { id: "d" }))).toBe("hoo\n\n**Reynard:** Yip\n\n");
});

test("after half a second without a name, an agent is named by its address, also in drafts", () => {
  const fixture = withNewcomer();
  expect(fixture.drafts(fox, "d", { delta: "Yip " })).toEqual([]);
  expect(fixture.renderer.nextAtMs()).toBe(startMs + 500);
  expect(textIn(fixture.passes(500))).toBe("**fox:** Yip ");
  expect(fixture.renderer.nextAtMs()).toBeUndefined();
  expect(textIn(fixture.drafts(fox, "d", { delta: "yip" }))).toBe("yip");
});

test("the end of the turn does not wait for a name", () => {
  const fixture = withNewcomer();
  fixture.says(fox, "Yip");
  expect(textIn(fixture.completes())).toBe("**fox:** Yip\n\n");
});

test("a join is shown as a step when the name is known, or when the turn ends", () => {
  const joined = (fixture: RendererFixture) => stepsIn(fixture.output).filter(({ name }) => / joined$/u.test(name));
  const named = withNewcomer();
  expect(joined(named)).toHaveLength(1);
  named.joins(fox, "Reynard");
  expect(joined(named)[1]?.payload).toBe("Reynard joined");
  const unnamed = withNewcomer();
  unnamed.completes();
  expect(joined(unnamed)[1]?.payload).toBe("fox joined");
});

test("output does not wait for the names of persons, or of agents that joined long ago", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "");
  fixture.joins("tag:bea", "", "person");
  fixture.nowMs += 60_000;
  fixture.begins();
  expect(textIn(fixture.says(owl, "Hoo"))).toBe("**owl:** Hoo\n\n");
  expect(textIn(fixture.says("tag:bea", "Hi"))).toBe("**bea:** Hi\n\n");
});

test("with too many utterances before the name is known, output does not wait for it", () => {
  const fixture = withNewcomer();
  for (let number = 1; number <= 201; number += 1) fixture.says(fox, `word ${number}.`);
  expect(textIn(fixture.output)).toContain("word 1.");
  expect(textIn(fixture.drafts(owl, "d", { delta: "Hoo" }))).toContain("Hoo");
});
