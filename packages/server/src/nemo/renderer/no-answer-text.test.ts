import { expect, test } from "vitest";
import { fox, Listener, me, owl, textIn } from "../../testing/nemo-listener.ts";

function withAgents(...names: string[]): Listener {
  const listener = new Listener();
  for (const name of names) listener.participants(`tag:${name.toLowerCase()}`, name);
  listener.begins();
  return listener;
}

test("a turn in which nobody says anything tells who is here, and how one is asked", () => {
  const listener = withAgents("Owl", "Fox");
  listener.says(me, "Hello?");
  expect(listener.completes("t").map(({ kind }) => kind)).toEqual(["delta", "complete", "trace"]);
  expect(textIn(listener.output)).toBe("*(Nobody answered. Here are Owl, Fox: begin with a name, such as @Owl.)*");
});

test("of many who are here five are named, and of those who left none", () => {
  const listener = withAgents("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight");
  listener.event("bye", "tag:two");
  listener.event("uninvite", me, { target: "tag:three" });
  listener.says(me, "Hello?");
  expect(textIn(listener.completes())).toContain("Here are One, Four, Five, Six, Seven and 1 more: begin");
});

test("names of those who are here mark nothing", () => {
  const listener = withAgents();
  listener.participants(owl, "**Owl** <b>");
  listener.says(me, "Hello?");
  expect(textIn(listener.completes())).toBe(
    "*(Nobody answered. Here is ＊＊Owl＊＊ ＜b＞: begin with a name, such as @＊＊Owl＊＊ ＜b＞.)*",
  );
});

test("where no agent is, that is why nobody answers", () => {
  const listener = withAgents();
  listener.participants("tag:bea", "Bea", "person");
  listener.says(me, "Hello?");
  expect(textIn(listener.completes())).toBe("*(Nobody answered: no agent is here.)*");
});

test.each([true, false])("what is for another person is told as sent (private: %s)", (isPrivate) => {
  const listener = withAgents("Owl");
  listener.participants("tag:bea", "Bea", "person");
  listener.says(me, "Psst", { to: "tag:bea", isPrivate });
  expect(textIn(listener.completes())).toBe("*(Sent to Bea.)*");
});

test("a whisper to an agent that stays silent is not answered", () => {
  const listener = withAgents("Owl");
  listener.says(me, "Psst", { to: owl, isPrivate: true });
  expect(textIn(listener.completes())).toContain("Nobody answered.");
});

test("nothing is said of silence where somebody spoke, something failed, or the person itself said nothing", () => {
  const spoken = withAgents("Owl");
  spoken.says(me, "Hello?");
  spoken.says(owl, "Hoo");
  expect(textIn(spoken.completes())).toBe("");
  const failed = withAgents("Owl");
  failed.says(me, "Hello?");
  failed.keep(failed.renderer.missed(owl, "timeout"));
  expect(textIn(failed.completes())).toBe("");
  const unsaid = withAgents("Owl");
  expect(unsaid.completes()).toEqual([{ kind: "complete", isFailed: false }]);
});

test("the words of an earlier turn do not count for the next one", () => {
  const listener = withAgents("Owl");
  listener.says(me, "Hello?");
  listener.begins();
  expect(listener.completes()).toEqual([{ kind: "complete", isFailed: false }]);
});

test("a name at the start that nobody has is told to be nobody's", () => {
  const listener = withAgents("Owl");
  expect(textIn(listener.says(me, " @*Ox*, are you there?"))).toBe("");
  expect(textIn(listener.says(me, " @Ox*, are you there?"))).toBe(
    "*(Nobody here is called Ox, so this went to everybody. Here is Owl: begin with a name, such as @Owl.)*",
  );
  listener.says(me, "@Owl, are you there?", { to: owl });
  listener.says(me, "mail ox@example.org");
  expect(textIn(listener.output)).not.toContain("called Owl");
  expect(textIn(listener.output)).not.toContain("example");
});

test("a remark is a paragraph among the words, with one empty line before it", () => {
  const listener = withAgents("Owl", "Fox");
  listener.says(fox, "Yip");
  expect(textIn(listener.renderer.remark("Somebody is still at work."))).toBe("*(Somebody is still at work.)*");
  listener.completes();
  expect(listener.renderer.remark("Somebody is still at work.")).toEqual([]);
});
