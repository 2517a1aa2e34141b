import { expect, test } from "vitest";
import { errorsIn, fox, me, owl, RendererFixture, stepsIn, textIn } from "../../testing/nemo-renderer.ts";

function withTwo(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl <b>");
  fixture.joins(fox, "Fox");
  fixture.begins();
  return fixture;
}

test("floor events are steps under one step for the turn, and their titles name the conversant and the action", () => {
  const fixture = withTwo();
  const output = fixture.event("requestFloor", owl, { reason: "@override I <i>know</i>" });
  const [root] = stepsIn(fixture.output);
  expect(root).toMatchObject({ name: "Floor", id: expect.stringMatching(/./u) });
  expect(stepsIn(output)).toEqual([
    {
      kind: "step",
      id: expect.stringMatching(/./u),
      parent: root?.id,
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
])("%s %j is a step that names its sender", (eventType, more, name) => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.joins(fox, "Fox");
  fixture.begins();
  expect(stepsIn(fixture.event(eventType, owl, more))).toMatchObject([{ name }]);
});

test("joins, roles, stops and whispers of others are steps", () => {
  const fixture = withTwo();
  fixture.joins("tag:elk", "Elk");
  fixture.log({ kind: "role", role: "convener", speakerUri: fox });
  fixture.log({ kind: "paused", by: fox });
  fixture.log({ kind: "hidden", whisper: { at: "", from: fox, to: "tag:elk" } });
  fixture.log({ kind: "hidden" });
  expect(stepsIn(fixture.output).slice(-4)).toMatchObject([
    { name: "Elk joined" },
    { name: "Fox convenes now" },
    { name: "Fox pressed Stop" },
    { name: "Fox whispered to Elk" },
  ]);
});

test("a turn begins with the newest 50 steps from before it", () => {
  const fixture = new RendererFixture();
  for (let number = 1; number <= 60; number += 1) expect(fixture.event("requestFloor", owl)).toEqual([]);
  expect(stepsIn(fixture.begins())).toHaveLength(51);
});

test('a turn shows at most 200 steps and then a step "More"', () => {
  const fixture = withTwo();
  for (let number = 1; number <= 300; number += 1) fixture.event("requestFloor", owl);
  const steps = stepsIn(fixture.output);
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
])("%s %j %s is shown as an error", (eventType, more, reason, message, details) => {
  const fixture = withTwo();
  const output = fixture.event(eventType, "target" in more ? "tag:floor" : fox, { ...more, reason });
  expect(errorsIn(output)).toEqual([{ code: "workflow_error", message, details }]);
  expect(textIn(output)).toMatch(/^\*\(Error: .*Fox.*\)\*$/u);
  expect(fixture.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("leaving or declining without a failure is no error", () => {
  const fixture = withTwo();
  expect(errorsIn(fixture.event("yieldFloor", fox, { reason: "@complete" }))).toEqual([]);
  expect(errorsIn(fixture.event("declineInvite", fox, { reason: "@refused not today" }))).toEqual([]);
  expect(errorsIn(fixture.event("bye", fox))).toEqual([]);
});

test("a missed delivery of this turn is an error once, one of another turn is none", () => {
  const fixture = withTwo();
  fixture.renderer.addTurn("t1");
  const missed = { kind: "missed", delivery: "x", speakerUri: fox, failure: "timeout" };
  expect(errorsIn(fixture.log({ ...missed, turn: "t2" }))).toEqual([]);
  expect(errorsIn(fixture.log({ ...missed, turn: "t1" }))).toMatchObject([{ message: "TimeoutError" }]);
  expect(fixture.renderer.missed(fox, "timeout")).toEqual([]);
  expect(errorsIn(fixture.renderer.missed(owl, "unreachable"))).toMatchObject([{ details: "could not be reached" }]);
});

test("a turn with an error and an answer is not failed", () => {
  const fixture = withTwo();
  fixture.event("bye", fox, { reason: "@error" });
  fixture.says(owl, "I am still here");
  expect(fixture.completes()).toEqual([{ kind: "complete", isFailed: false }]);
});

test("an error is sent at once, and its text waits in the queue", () => {
  const fixture = withTwo();
  fixture.drafts(owl, "d", { delta: "Hoo" });
  const output = fixture.event("bye", fox, { reason: "@error" });
  expect([errorsIn(output).length, textIn(output)]).toEqual([1, ""]);
  expect(textIn(fixture.says(owl, "Hoo!", { id: "d" }))).toMatch(/^!\n\n\*\(Error: Fox: failed\)\*/u);
});

test("a failure outside a turn is shown in the next one", () => {
  const fixture = withTwo();
  fixture.completes();
  expect(fixture.event("bye", fox, { reason: "@error" })).toEqual([]);
  expect(textIn(fixture.begins())).toBe("*(Error: Fox: failed)*");
});

test("the person's own bye is no error", () => {
  const fixture = withTwo();
  expect(errorsIn(fixture.event("bye", me))).toEqual([]);
});

test("the stop by a second message is one step, and a pressed stop is a step of its own", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.begins();
  fixture.log({ kind: "paused", by: me, because: "command/pause/person" });
  fixture.log({ kind: "resumed", because: "command/resume" });
  fixture.says(me, "Something else");
  const floorSteps = () => stepsIn(fixture.output).map(({ name }) => name);
  expect(floorSteps().filter((name) => /Stop|go on|stopped/u.test(name))).toEqual(["Your earlier message was stopped"]);
  fixture.log({ kind: "paused", by: me, because: "command/pause/person" });
  expect(floorSteps().at(-1)).toBe("Me pressed Stop");
});

const failed = {
  mimeType: "application/vnd.plenary.error+json",
  tokens: [{ value: { code: "workflow_error", message: "ValueError", details: "<b>boom</b>" } }],
};

test("an error that an agent attaches to its utterance fails the turn", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  const output = fixture.says(owl, "Sorry: boom", { to: me, isPrivate: true, features: { error: failed } });
  expect(errorsIn(output)).toEqual([{ code: "workflow_error", message: "ValueError", details: "＜b＞boom＜/b＞" }]);
  expect(textIn(output)).toBe("*(private)* Sorry: boom");
  expect(fixture.completes()).toEqual([{ kind: "complete", isFailed: true }]);
});

test("a drafted failure does not count as an answer, another utterance does", () => {
  for (const isAnswered of [false, true]) {
    const fixture = new RendererFixture();
    fixture.joins(owl, "Owl");
    fixture.begins();
    fixture.drafts(owl, "d1", { delta: "Sorry: " });
    fixture.says(owl, "Sorry: boom", { id: "d1", features: { error: failed } });
    if (isAnswered) fixture.says(owl, "But this I know.");
    expect(fixture.completes().at(-1)).toEqual({ kind: "complete", isFailed: !isAnswered });
  }
});

test("a greeting before the person's message does not count as an answer", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.says(owl, "Hello, I am Owl.");
  fixture.says(me, "@Owl start");
  fixture.says(owl, "Sorry: boom", { features: { error: failed } });
  expect(fixture.completes().at(-1)).toEqual({ kind: "complete", isFailed: true });
});

test("the text of an agent's error is limited, and sent once in a turn and not outside it", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  const says = (value: unknown) =>
    errorsIn(fixture.says(owl, "Sorry", { features: { error: { ...failed, tokens: [{ value }] } } }));
  expect(says({ code: "workflow_error", message: "x", details: "y" })).toEqual([]);
  fixture.begins();
  const wild = { code: "<script>", message: "x".repeat(100_000), details: { deep: "y".repeat(100_000) } };
  const [error] = says(wild);
  expect(error?.code).toBe("unknown_error");
  expect(error?.message.length).toBeLessThanOrEqual(501);
  expect(error?.details.length).toBeLessThanOrEqual(1_001);
  expect(says(wild)).toEqual([]);
});

function withAgents(...names: string[]): RendererFixture {
  const fixture = new RendererFixture();
  for (const name of names) fixture.joins(`tag:${name.toLowerCase()}`, name);
  fixture.begins();
  return fixture;
}

test("a turn without an answer lists the agents and how to address one", () => {
  const fixture = withAgents("Owl", "Fox");
  fixture.says(me, "Hello?");
  expect(fixture.completes("t").map(({ kind }) => kind)).toEqual(["delta", "complete", "trace"]);
  expect(textIn(fixture.output)).toBe("*(Nobody answered. Here are Owl, Fox: begin with a name, such as @Owl.)*");
});

test("at most five agents are listed, and none that left", () => {
  const fixture = withAgents("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight");
  fixture.event("bye", "tag:two");
  fixture.event("uninvite", me, { target: "tag:three" });
  fixture.says(me, "Hello?");
  expect(textIn(fixture.completes())).toContain("Here are One, Four, Five, Six, Seven and 1 more: begin");
});

test("names in the list of agents are escaped", () => {
  const fixture = withAgents();
  fixture.joins(owl, "**Owl** <b>");
  fixture.says(me, "Hello?");
  expect(textIn(fixture.completes())).toBe(
    "*(Nobody answered. Here is ＊＊Owl＊＊ ＜b＞: begin with a name, such as @＊＊Owl＊＊ ＜b＞.)*",
  );
});

test("without agents, the notice says that no agent is there", () => {
  const fixture = withAgents();
  fixture.joins("tag:bea", "Bea", "person");
  fixture.says(me, "Hello?");
  expect(textIn(fixture.completes())).toBe("*(Nobody answered: no agent is here.)*");
});

test.each([true, false])("a message to another person is reported as sent (private: %s)", (isPrivate) => {
  const fixture = withAgents("Owl");
  fixture.joins("tag:bea", "Bea", "person");
  fixture.says(me, "Psst", { to: "tag:bea", isPrivate });
  expect(textIn(fixture.completes())).toBe("*(Sent to Bea.)*");
});

test("a whisper to a silent agent has no answer", () => {
  const fixture = withAgents("Owl");
  fixture.says(me, "Psst", { to: owl, isPrivate: true });
  expect(textIn(fixture.completes())).toContain("Nobody answered.");
});

test("no notice appears after an answer, after an error, or without a message of the person", () => {
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

test("a message of an earlier turn does not count for the next one", () => {
  const fixture = withAgents("Owl");
  fixture.says(me, "Hello?");
  fixture.begins();
  expect(fixture.completes()).toEqual([{ kind: "complete", isFailed: false }]);
});

test("an unknown name after @ at the start gets a notice", () => {
  const fixture = withAgents("Owl");
  expect(textIn(fixture.says(me, " @*Ox*, are you there?"))).toBe("");
  expect(textIn(fixture.says(me, " @Ox*, are you there?"))).toBe(
    "*(Nobody here is called Ox, so this went to everybody. Here is Owl: begin with a name, such as @Owl.)*",
  );
  fixture.says(me, "@Owl, are you there?", { to: owl });
  fixture.says(me, "mail ox@example.org");
  expect(textIn(fixture.output)).not.toContain("called Owl");
  expect(textIn(fixture.output)).not.toContain("example");
});

test("a notice is a separate paragraph, and outside a turn it is dropped", () => {
  const fixture = withAgents("Owl", "Fox");
  fixture.says(fox, "Yip");
  expect(textIn(fixture.renderer.addNotice("An agent is still working."))).toBe("*(An agent is still working.)*");
  fixture.completes();
  expect(fixture.renderer.addNotice("An agent is still working.")).toEqual([]);
});
