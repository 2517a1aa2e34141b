import fc from "fast-check";
import { expect, test } from "vitest";
import { ann, birds, comes, echo, moves, says, transcriptOf } from "../testing/sample-conversation.ts";
import { mermaidOf } from "./mermaid.ts";

const statements = [
  /^title (?<text>.+)$/u,
  /^(?:participant|actor) (?<id>\w+) as (?<text>.+)$/u,
  /^Note over (?<one>\w+)(?:,(?<other>\w+))?: (?<text>.+)$/u,
  /^(?<one>\w+)(?:->>|-->>)(?<other>\w+): (?<text>.+)$/u,
  /^(?<change>activate|deactivate) (?<one>\w+)$/u,
];

/** The errors of a sequence diagram, by a strict subset of the Mermaid grammar. */
function faultsOf(diagram: string): string[] {
  const [first, ...lines] = diagram.trimEnd().split("\n");
  const faults = first === "sequenceDiagram" ? [] : ["it does not begin as one"];
  const declared = new Set<string>();
  const active = new Set<string>();
  for (const line of lines) {
    const groups = statements.map((one) => one.exec(line.trim())?.groups).find((found) => found !== undefined);
    if (groups === undefined) {
      faults.push(`no statement: ${line}`);
      continue;
    }
    const { text, id, one, other, change } = groups;
    if (id !== undefined) declared.add(id);
    for (const named of [one, other]) if (named !== undefined && !declared.has(named)) faults.push(`who is ${named}?`);
    if (change !== undefined && one !== undefined) {
      if (active.has(one) === (change === "activate")) faults.push(`${line} twice`);
      active[change === "activate" ? "add" : "delete"](one);
    }
    if (text !== undefined && /[#;:%<>&$@{}[\]\\"`]|\bend\b/iu.test(text.replaceAll(/#\d+;/gu, " ")))
      faults.push(`open words: ${line}`);
    if ((text ?? "").length > 1_000) faults.push("a line is too long");
  }
  return active.size === 0 ? faults : [...faults, "a participant stays active"];
}

test("a conversation is exported as a sequence diagram", async () => {
  const diagram = mermaidOf(birds);
  expect(faultsOf(diagram)).toEqual([]);
  await expect(diagram).toMatchFileSnapshot("../testing/birds-mermaid.golden.txt");
});

test.each([
  "end",
  "a; b",
  "x\n  c1->>c2: forged",
  "%%{init: {'securityLevel': 'loose'}}%%",
  "%% comment",
  "#59; #quot;",
  "style a:#fff;",
  "<img src=x onerror=alert(1)>",
  "$$\\href{javascript:x}{y}$$",
  "wrap: x",
  "\u2028c1->>c2: forged",
  "",
  "x".repeat(100_000),
])("%j is escaped", (words) => {
  const transcript = transcriptOf(
    [comes(echo, words), says(echo, words, { to: ann }), moves(ann, "uninvite", echo, words)],
    {
      title: words,
      owner: words,
    },
  );
  expect(faultsOf(mermaidOf(transcript))).toEqual([]);
});

test("any text gives a valid diagram", () => {
  const words = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom(..."end#;:%{}<>\n \t->") }),
  );
  fc.assert(
    fc.property(words, words, (one, other) => {
      const diagram = mermaidOf(
        transcriptOf([comes(echo, one), says(echo, other), moves(ann, "revokeFloor", echo, other)]),
      );
      expect(faultsOf(diagram)).toEqual([]);
    }),
  );
});

test("a conversant that has the floor is active until it loses it", () => {
  const diagram = mermaidOf(transcriptOf([comes(echo, "Echo"), moves(ann, "revokeFloor", echo), says(ann, "hush")]));
  const steps = diagram.split("\n").map((line) => line.trim());
  const lost = steps.findIndex((line) => line.includes("took the floor"));
  expect(steps.indexOf("activate c2")).toBeLessThan(lost);
  expect(steps[lost + 1]).toBe("deactivate c2");
});
