import { stepsFeature } from "@plenary/nemo";
import type { DraftStep } from "@plenary/protocol";
import { expect, test } from "vitest";
import { fox, me, owl, RendererFixture, stepsIn } from "../../testing/nemo-renderer.ts";
import type { NemoOutput } from "../participant.ts";

function withTwo(): RendererFixture {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl <b>");
  fixture.joins(fox, "Fox");
  fixture.begins();
  // Drop the steps about joining.
  fixture.output.length = 0;
  return fixture;
}

const step = (id: string, title: string, more: Partial<DraftStep> = {}): DraftStep => {
  return { id, title, state: "running", ...more };
};

type Shown = { id: string; parent?: string; name: string; payload: string };

/** The steps as a client shows them: the same id and name replaces. Each as `name under parent: payload`. */
function shown(output: readonly NemoOutput[]): string[] {
  const all: Shown[] = [];
  for (const one of stepsIn(output)) {
    const at = all.findIndex(({ id, name }) => id === one.id && name === one.name);
    all.splice(at < 0 ? all.length : at, at < 0 ? 0 : 1, one);
  }
  const named = new Map(all.map(({ id, name }) => [id, name]));
  return all.map(({ parent = "", name, payload }) => {
    const under = parent === "" ? "" : ` under ${named.get(parent) ?? "nothing"}`;
    return `${name}${under}: ${payload.replaceAll("\n\n", " | ")}`;
  });
}

test("the steps of an utterance are nested under its agent and their parents", () => {
  const fixture = withTwo();
  const steps = stepsFeature([
    { id: "a", name: "Function Start: <workflow>", payload: "**Input:** <x>" },
    { id: "b", parent: "a", name: "Tool: calc", payload: "2" },
    { id: "c", parent: "of another", name: "Lost", payload: "3" },
  ]);
  expect(shown(fixture.says(fox, "Four", { features: { steps } }))).toEqual([
    "Agent: Fox: 3 steps",
    "Function Start: &lt;workflow&gt; under Agent: Fox: **Input:** &lt;x&gt;",
    "Tool: calc under Function Start: &lt;workflow&gt;: 2",
    "Lost under Agent: Fox: 3",
  ]);
});

test("a step of a draft is sent at once, under its agent and parent, with state and detail", () => {
  const fixture = withTwo();
  const first = fixture.drafts(owl, "d", { steps: [step("a", "Searching <flights>", { detail: "LHR & <b>" })] });
  expect(shown(first)).toEqual([
    "Agent: Owl ＜b＞: At work",
    "Searching &lt;flights&gt; under Agent: Owl ＜b＞: **Running** | LHR &amp; &lt;b&gt;",
  ]);
  fixture.drafts(owl, "d", { steps: [step("b", "Asking", { parent: "a", state: "failed" })], delta: "Hoo" });
  expect(shown(fixture.output).slice(-1)).toEqual(["Asking under Searching &lt;flights&gt;: **Failed**"]);
});

test("a repeated step id keeps the first name and shows the newest title in the payload", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Still working (20 s)")] });
  fixture.drafts(fox, "d", { steps: [step("a", "Still working (1 min)", { detail: "x", state: "done" })] });
  expect(shown(fixture.output)).toEqual([
    "Agent: Fox: At work",
    "Still working (20 s) under Agent: Fox: **Done** | Still working (1 min) | x",
  ]);
});

test("the finished utterance shows each step once, adds missing steps and ends running ones", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Searching flights"), step("w", "Still working")] });
  fixture.drafts(fox, "d", { steps: [step("f", "Booking", { state: "failed" })] });
  fixture.drafts(fox, "d", { end: "final" });
  const steps = stepsFeature([
    { id: "a", name: "Function Complete: search_flights", payload: "3 found" },
    { id: "f", name: "Function Complete: book", payload: "none" },
    { id: "b", parent: "a", name: "Tool: calc", payload: "2" },
  ]);
  fixture.says(fox, "Three", { id: "d", features: { steps } });
  expect(shown(fixture.output)).toEqual([
    "Agent: Fox: 4 steps",
    "Searching flights under Agent: Fox: **Done** | 3 found",
    "Still working under Agent: Fox: **Ended**",
    "Booking under Agent: Fox: **Failed** | none",
    "Tool: calc under Searching flights: 2",
  ]);
});

test("steps after their utterance are ignored", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Searching")] });
  fixture.says(fox, "Three", { id: "d" });
  expect(fixture.drafts(fox, "d", { steps: [step("b", "Late")] })).toEqual([]);
  expect(fixture.drafts(fox, "d", { end: "final" })).toEqual([]);
});

test("the steps of a dropped draft end, and continue with the next utterance of the agent", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Searching")] });
  fixture.drafts(fox, "d", { end: "dropped" });
  expect(shown(fixture.output).at(-1)).toBe("Searching under Agent: Fox: **Ended**");
  fixture.drafts(fox, "e", { steps: [step("b", "Booking", { parent: "a" })] });
  const steps = stepsFeature([{ id: "a", name: "Tool: search", payload: "3 found" }]);
  fixture.says(fox, "Three", { id: "e", features: { steps } });
  expect(shown(fixture.output)).toEqual([
    "Agent: Fox: 2 steps",
    "Searching under Agent: Fox: **Done** | 3 found",
    "Booking under Searching: **Ended**",
  ]);
});

test("equal step ids of two agents, and of two drafts of one agent, are kept apart", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("1", "Searching")] });
  fixture.drafts(fox, "e", { steps: [step("1", "Searching")] });
  fixture.drafts(owl, "d", { steps: [step("1", "Searching")] });
  expect(new Set(stepsIn(fixture.output).map(({ id }) => id)).size).toBe(6);
});

test("private steps of others, and own steps, are not sent", () => {
  const fixture = withTwo();
  expect(fixture.drafts(owl, "d", { to: { speakerUri: fox, private: true }, steps: [step("a", "x")] })).toEqual([]);
  expect(fixture.drafts(me, "d", { steps: [step("a", "x")] })).toEqual([]);
});

test("steps that started outside a turn and still run are shown in the next turn", () => {
  const fixture = withTwo();
  fixture.completes();
  expect(fixture.drafts(fox, "d", { steps: [step("a", "Searching")] })).toEqual([]);
  expect(fixture.drafts(owl, "o", { steps: [step("a", "Over")] })).toEqual([]);
  fixture.drafts(owl, "o", { end: "dropped" });
  expect(shown(fixture.begins())).toEqual(["Agent: Fox: At work", "Searching under Agent: Fox: **Running**"]);
});

test("steps that started and ended outside a turn are all shown in the next turn", () => {
  const fixture = withTwo();
  fixture.completes();
  fixture.drafts(fox, "d", {
    steps: [step("a", "Searching", { state: "done" }), step("b", "Asking", { parent: "a" })],
  });
  fixture.drafts(fox, "d", { end: "final" });
  fixture.says(fox, "Three", { id: "d" });
  expect(shown(fixture.begins())).toEqual([
    "Agent: Fox: 2 steps",
    "Searching under Agent: Fox: **Done**",
    "Asking under Searching: **Ended**",
  ]);
});

test("a stopped utterance that is finished later shows all its steps", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Searching")] });
  fixture.begins();
  const steps = stepsFeature([{ id: "b", parent: "a", name: "Tool: calc", payload: "2" }]);
  expect(shown(fixture.says(fox, "Three", { id: "d", features: { steps } }))).toEqual([
    "Agent: Fox: 2 steps",
    "Searching under Agent: Fox: **Ended**",
    "Tool: calc under Searching: 2",
  ]);
});

test("a second message does not show the steps that it stops", () => {
  const fixture = withTwo();
  fixture.drafts(fox, "d", { steps: [step("a", "Searching")] });
  expect(shown(fixture.begins()).join()).not.toContain("Searching");
  expect(fixture.drafts(fox, "d", { steps: [step("b", "Booking")] })).toEqual([]);
});

test("step ids are unique across conversations, turns and restarts of the floor", () => {
  const ids = ["c", "other"].flatMap((conversation) =>
    [0, 1].flatMap((restart) => {
      const fixture = new RendererFixture({ conversation });
      fixture.nowMs += restart;
      return [1, 2].flatMap(() => {
        const before = fixture.output.length;
        fixture.begins();
        fixture.event("requestFloor", owl);
        fixture.drafts(fox, "d", { steps: [step("a", "Searching")] });
        for (let number = 0; number < 250; number += 1) fixture.event("requestFloor", owl);
        fixture.completes();
        return [...new Set(stepsIn(fixture.output.slice(before)).map(({ id }) => id))];
      });
    }),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(8 * 200);
});

test('a turn shows at most 200 steps, a step "More", and updates of the shown steps', () => {
  const fixture = withTwo();
  for (let number = 1; number <= 300; number += 1) {
    fixture.drafts(fox, "d", { steps: [step(`${number}`, `Step ${number}`)] });
  }
  fixture.drafts(fox, "d", { steps: [step("7", "Step 7", { state: "done" })] });
  const all = shown(fixture.output);
  expect(all.length).toBeGreaterThan(190);
  expect(all.length).toBeLessThanOrEqual(201);
  expect(all.at(-1)).toContain("More");
  expect(all).toContain("Step 7 under Agent: Fox: **Done**");
});
