import { expect, test } from "vitest";
import { fox, Listener, me, owl, startMs, stepsIn, textIn } from "../../testing/nemo-listener.ts";

/** Owl has told its name; Fox has come and not yet. */
function withNewcomer(): Listener {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.participants(fox, "");
  return listener;
}

test("the greeting of one who has just come waits for its name", () => {
  const listener = withNewcomer();
  expect(listener.says(fox, "Yip")).toEqual([]);
  expect(listener.renderer.isHolding()).toBe(true);
  expect(textIn(listener.participants(fox, "Reynard"))).toBe("**Reynard:** Yip\n\n");
  expect(listener.renderer.isHolding()).toBe(false);
});

test("also when it comes under another address than it was invited by", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  const identification = { speakerUri: fox, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  listener.participants("http://127.0.0.1:1/fox", "");
  listener.log({ kind: "renamed", from: "http://127.0.0.1:1/fox", to: fox, identification });
  listener.event("invite", me, { target: "http://127.0.0.1:1/fox" });
  expect(listener.says(fox, "Yip")).toEqual([]);
  const output = listener.participants(fox, "Reynard");
  expect(textIn(output)).toBe("**Reynard:** Yip\n\n");
  expect(stepsIn(listener.output).map(({ payload }) => payload)).toContain("Me invited Reynard");
});

test("words of others go first meanwhile, and nobody is interrupted by it", () => {
  const listener = withNewcomer();
  listener.says(fox, "Yip");
  expect(textIn(listener.drafts(owl, "d", { delta: "Hoo " }))).toBe("**Owl:** Hoo ");
  expect(textIn(listener.participants(fox, "Reynard"))).toBe("");
  expect(textIn(listener.says(owl, "Hoo hoo", { id: "d" }))).toBe("hoo\n\n**Reynard:** Yip\n\n");
});

test("who tells no name in half a second goes on under its address, in drafts too", () => {
  const listener = withNewcomer();
  expect(listener.drafts(fox, "d", { delta: "Yip " })).toEqual([]);
  expect(listener.renderer.nextAtMs()).toBe(startMs + 500);
  expect(textIn(listener.passes(500))).toBe("**fox:** Yip ");
  expect(listener.renderer.nextAtMs()).toBeUndefined();
  expect(textIn(listener.drafts(fox, "d", { delta: "yip" }))).toBe("yip");
});

test("the end of the turn waits for no name", () => {
  const listener = withNewcomer();
  listener.says(fox, "Yip");
  expect(textIn(listener.completes())).toBe("**fox:** Yip\n\n");
});

test("that somebody joined is a step once its name is known, or when the turn ends", () => {
  const joined = (listener: Listener) => stepsIn(listener.output).filter(({ name }) => / joined$/u.test(name));
  const named = withNewcomer();
  expect(joined(named)).toHaveLength(1);
  named.participants(fox, "Reynard");
  expect(joined(named)[1]?.payload).toBe("Reynard joined");
  const unnamed = withNewcomer();
  unnamed.completes();
  expect(joined(unnamed)[1]?.payload).toBe("fox joined");
});

test("nobody waits for the name of a person, or of an agent that came long ago", () => {
  const listener = new Listener();
  listener.participants(owl, "");
  listener.participants("tag:bea", "", "person");
  listener.nowMs += 60_000;
  listener.begins();
  expect(textIn(listener.says(owl, "Hoo"))).toBe("**owl:** Hoo\n\n");
  expect(textIn(listener.says("tag:bea", "Hi"))).toBe("**bea:** Hi\n\n");
});

test("of very much that is said before a name is known nothing is held back", () => {
  const listener = withNewcomer();
  for (let number = 1; number <= 201; number += 1) listener.says(fox, `word ${number}.`);
  expect(textIn(listener.output)).toContain("word 1.");
  expect(textIn(listener.drafts(owl, "d", { delta: "Hoo" }))).toContain("Hoo");
});
