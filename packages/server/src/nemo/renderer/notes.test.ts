import { expect, test } from "vitest";
import { errorsIn, fox, Listener, me, owl, stepsIn, textIn } from "../../testing/nemo-listener.ts";

function withTwo(): Listener {
  const listener = new Listener();
  listener.participants(owl, "Owl <b>");
  listener.participants(fox, "Fox");
  listener.begins();
  return listener;
}

test("what happens at the floor are steps under one step for the turn, and their titles say who did what", () => {
  const listener = withTwo();
  const output = listener.event("requestFloor", owl, { reason: "@override I <i>know</i>" });
  const [root] = stepsIn(listener.output);
  expect(root).toMatchObject({ name: "Floor", id: expect.stringMatching(/./u) });
  expect(stepsIn(output)).toEqual([
    {
      ...{ kind: "step", id: expect.stringMatching(/./u), parent: root?.id },
      name: "Owl ＜b＞ asked for the floor: I &lt;i&gt;know&lt;/i&gt;",
      payload: "Owl ＜b＞ asked for the floor: @override I &lt;i&gt;know&lt;/i&gt;",
    },
  ]);
  expect(textIn(output)).toBe("");
});

test.each([
  ["invite", { target: fox }, "Owl invited Fox"],
  ["grantFloor", { target: fox }, "Owl gave the floor to Fox"],
  ["revokeFloor", { target: fox }, "Owl took the floor from Fox"],
  ["yieldFloor", {}, "Owl yielded the floor"],
  ["bye", {}, "Owl left"],
  ["bye", { reason: "@complete all is said" }, "Owl left: all is said"],
  ["declineInvite", { reason: "@unavailable cannot be reached" }, "Owl declined the invitation: cannot be reached"],
  ["publishManifests", {}, "Owl knows nobody for that"],
])("%s %j is a step that names who did it", (eventType, more, name) => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.participants(fox, "Fox");
  listener.begins();
  expect(stepsIn(listener.event(eventType, owl, more))).toMatchObject([{ name }]);
});

test("comings, roles and stops are steps, and that others whisper is too", () => {
  const listener = withTwo();
  listener.participants("tag:elk", "Elk");
  listener.log({ kind: "role", role: "convener", speakerUri: fox });
  listener.log({ kind: "paused", by: fox });
  listener.log({ kind: "hidden", whisper: { at: "", from: fox, to: "tag:elk" } });
  listener.log({ kind: "hidden" });
  expect(stepsIn(listener.output).slice(-4)).toMatchObject([
    { name: "Elk joined" },
    { name: "Fox convenes now" },
    { name: "Fox pressed Stop" },
    { name: "Fox whispered to Elk" },
  ]);
});

test("steps from before the turn come with it, the newest 50", () => {
  const listener = new Listener();
  for (let number = 1; number <= 60; number += 1) expect(listener.event("requestFloor", owl)).toEqual([]);
  expect(stepsIn(listener.begins())).toHaveLength(51);
});

test("of endless steps so many are shown, and then that there are more", () => {
  const listener = withTwo();
  for (let number = 1; number <= 300; number += 1) listener.event("requestFloor", owl);
  const steps = stepsIn(listener.output);
  expect(steps.length).toBeLessThan(210);
  expect(steps.at(-1)?.name).toBe("More");
});

test.each([
  ["bye", {}, "@error out of memory", "Fox", "out of memory"],
  ["declineInvite", {}, "@unavailable", "Fox", "is unavailable"],
  ["yieldFloor", {}, "@error", "Fox", "failed"],
  ["uninvite", { target: fox }, "@error did not answer with an envelope", "Fox", "did not answer with an envelope"],
  ["uninvite", { target: fox }, "@timedOut did not answer in time", "TimeoutError", "Fox did not answer in time"],
  ["yieldFloor", {}, "@timedOut", "TimeoutError", "Fox did not answer in time"],
])("%s %j %s is an error that is seen", (eventType, more, reason, message, details) => {
  const listener = withTwo();
  const output = listener.event(eventType, "target" in more ? "tag:floor" : fox, { ...more, reason });
  expect(errorsIn(output)).toEqual([{ code: "workflow_error", message, details }]);
  expect(textIn(output)).toMatch(/^\*\(Error: .*Fox.*\)\*$/u);
  expect(listener.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("who leaves or declines without a failure is no error", () => {
  const listener = withTwo();
  expect(errorsIn(listener.event("yieldFloor", fox, { reason: "@complete" }))).toEqual([]);
  expect(errorsIn(listener.event("declineInvite", fox, { reason: "@refused not today" }))).toEqual([]);
  expect(errorsIn(listener.event("bye", fox))).toEqual([]);
});

test("an agent that did not answer in this turn is an error once, one of other turns a step", () => {
  const listener = withTwo();
  listener.renderer.joined("t1");
  const missed = { kind: "missed", delivery: "x", speakerUri: fox, failure: "timeout" };
  expect(errorsIn(listener.log({ ...missed, turn: "t2" }))).toEqual([]);
  expect(errorsIn(listener.log({ ...missed, turn: "t1" }))).toMatchObject([{ message: "TimeoutError" }]);
  expect(listener.renderer.missed(fox, "timeout")).toEqual([]);
  expect(errorsIn(listener.renderer.missed(owl, "unreachable"))).toMatchObject([{ details: "could not be reached" }]);
});

test("an answer beside an error is no failure", () => {
  const listener = withTwo();
  listener.event("bye", fox, { reason: "@error" });
  listener.says(owl, "I am still here");
  expect(listener.completes()).toEqual([{ kind: "complete", isFailed: false }]);
});

test("an error waits for its place among the words, and is an error at once", () => {
  const listener = withTwo();
  listener.drafts(owl, "d", { delta: "Hoo" });
  const output = listener.event("bye", fox, { reason: "@error" });
  expect([errorsIn(output).length, textIn(output)]).toEqual([1, ""]);
  expect(textIn(listener.says(owl, "Hoo!", { id: "d" }))).toMatch(/^!\n\n\*\(Error: Fox: failed\)\*/u);
});

test("what failed outside a turn is said in the next one", () => {
  const listener = withTwo();
  listener.completes();
  expect(listener.event("bye", fox, { reason: "@error" })).toEqual([]);
  expect(textIn(listener.begins())).toBe("*(Error: Fox: failed)*");
});

test("one's own leaving is told to nobody as a failure of others", () => {
  const listener = withTwo();
  expect(errorsIn(listener.event("bye", me))).toEqual([]);
});

test("the stop that a second message makes is told once, and a stop that somebody pressed as that", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.begins();
  listener.log({ kind: "paused", by: me, because: "command/pause/person" });
  listener.log({ kind: "resumed", because: "command/resume" });
  listener.says(me, "Something else");
  const floorSteps = () => stepsIn(listener.output).map(({ name }) => name);
  expect(floorSteps().filter((name) => /Stop|go on|stopped/u.test(name))).toEqual(["Your earlier message was stopped"]);
  listener.log({ kind: "paused", by: me, because: "command/pause/person" });
  expect(floorSteps().at(-1)).toBe("Me pressed Stop");
});

const failed = {
  mimeType: "application/vnd.plenary.error+json",
  tokens: [{ value: { code: "workflow_error", message: "ValueError", details: "<b>boom</b>" } }],
};

test("an agent's own failure is an error beside its words, and nothing else came of the turn", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  const output = listener.says(owl, "Sorry: boom", { to: me, isPrivate: true, features: { error: failed } });
  expect(errorsIn(output)).toEqual([{ code: "workflow_error", message: "ValueError", details: "＜b＞boom＜/b＞" }]);
  expect(textIn(output)).toBe("*(private)* Sorry: boom");
  expect(listener.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("what was drafted before it turned out to be a failure counts for nothing, other words do", () => {
  for (const isAnswered of [false, true]) {
    const listener = new Listener();
    listener.participants(owl, "Owl");
    listener.begins();
    listener.drafts(owl, "d1", { delta: "Sorry: " });
    listener.says(owl, "Sorry: boom", { id: "d1", features: { error: failed } });
    if (isAnswered) listener.says(owl, "But this I know.");
    expect(listener.completes().at(-1)).toEqual({ kind: "complete", isFailed: !isAnswered });
  }
});

test("a greeting before the person's words is no answer to them", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.says(owl, "Hello, I am Owl.");
  listener.says(me, "@Owl start");
  listener.says(owl, "Sorry: boom", { features: { error: failed } });
  expect(listener.completes().at(-1)).toEqual({ kind: "complete", isFailed: true });
});

test("the text of an error is bounded, and comes once in a turn and not after it", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  const says = (value: unknown) =>
    errorsIn(listener.says(owl, "Sorry", { features: { error: { ...failed, tokens: [{ value }] } } }));
  expect(says({ code: "workflow_error", message: "x", details: "y" })).toEqual([]);
  listener.begins();
  const wild = { code: "<script>", message: "x".repeat(100_000), details: { deep: "y".repeat(100_000) } };
  const [error] = says(wild);
  expect(error?.code).toBe("unknown_error");
  expect(error?.message.length).toBeLessThanOrEqual(501);
  expect(error?.details.length).toBeLessThanOrEqual(1_001);
  expect(says(wild)).toEqual([]);
});

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
