import { expect, test } from "vitest";
import { createMemoryIo, type MemoryIoOptions } from "../testing/memory-io.ts";
import { issuesShownMax } from "./render-report.ts";
import { validate } from "./validate.ts";

const envelope = {
  openFloor: {
    schema: { version: "1.1.0" },
    conversation: { id: "conversation-1" },
    sender: { speakerUri: "tag:ann.example,2025:ann" },
    events: [{ eventType: "requestFloor" }] as unknown[],
  },
};

async function validateStdin(
  stdin: string | Uint8Array,
  { json = false, ...options }: MemoryIoOptions & { json?: boolean } = {},
) {
  const io = createMemoryIo({ ...options, stdin });
  const exitCode = await validate(["-"], { json }, io);
  return { exitCode, ...io.written };
}

function withEvents(...events: unknown[]): string {
  return JSON.stringify({ openFloor: { ...envelope.openFloor, events } }, null, 2);
}

test("a valid envelope is one line", async () => {
  expect(await validateStdin(JSON.stringify(envelope))).toEqual({
    exitCode: 0,
    stdout: "<stdin>: valid (envelope 1.1.0)\n",
    stderr: "",
  });
});

test("an unknown eventType is shown at its position and makes the envelope invalid", async () => {
  const { exitCode, stdout } = await validateStdin(withEvents({ eventType: "sing" }));
  expect(exitCode).toBe(1);
  expect(stdout).toContain("error[event-type-known]: ");
  expect(stdout).toContain(" --> <stdin>:14:9  /openFloor/events/0/eventType\n");
  expect(stdout).toContain('14 |         "eventType": "sing"\n   |         ^^^^^^^^^^^^^^^^^^^\n');
  expect(stdout).toMatch(/\n<stdin>: invalid, 1 error \(envelope 1\.1\.0\)\n$/u);
});

test("a missing part is marked at its parent", async () => {
  const { stdout } = await validateStdin('{"openFloor": {"sender": {}}}');
  expect(stdout).toContain('1 | {"openFloor": {"sender": {}}}\n  |                ^\n  = fix: write "speakerUri"');
});

test("warnings leave an envelope valid", async () => {
  const padded = { openFloor: { ...envelope.openFloor, schema: { version: " 1.1.0 " } } };
  const { exitCode, stdout } = await validateStdin(JSON.stringify(padded));
  expect(exitCode).toBe(0);
  expect(stdout).toContain("warning[schema-version]: ");
  expect(stdout).toMatch(/\n<stdin>: valid, 1 warning \(envelope 1\.1\.0\)\n$/u);
});

test("--json prints one line with exactly the documented keys", async () => {
  const { stdout } = await validateStdin(withEvents({ eventType: "sing" }), { json: true, isTty: true });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const report = JSON.parse(stdout);
  expect(Object.keys(report)).toEqual(["file", "valid", "kind", "version", "issues"]);
  expect(report).toMatchObject({ file: "-", valid: false, kind: "envelope", version: "1.1.0" });
  expect(Object.keys(report.issues[0])).toEqual(["path", "problem", "severity", "repaired", "spec", "rule", "fix"]);
});

test.each([
  ["a faulty bracket", '{"openFloor": ]', "json-syntax", "<stdin>:1:15\n"],
  ["nothing at all", "", "json-syntax", "<stdin>:1:1\n"],
  ["a key given twice", '{"openFloor": {"a": 1,\n"a": 2}}', "json-duplicate-key", "<stdin>:2:1  /openFloor/a\n"],
  ["another format", '{"name": "x"}', "root", "<stdin>:1:1\n"],
])("%s has a place, and no kind nor version is claimed", async (_name, stdin, rule, where) => {
  const human = await validateStdin(stdin);
  expect(human.stdout).toContain(`error[${rule}]: `);
  expect(human.stdout).toContain(` --> ${where}`);
  expect(human.stdout).toMatch(/\n<stdin>: invalid, 1 error\n$/u);
  const machine = await validateStdin(stdin, { json: true });
  expect(JSON.parse(machine.stdout)).toMatchObject({ valid: false, version: null, issues: [{ rule }] });
});

test("invalid UTF-8 is an error with its offset", async () => {
  const bytes = Buffer.concat([Buffer.from('{"openFloor":\n "'), Buffer.from([0xe9]), Buffer.from('"}')]);
  const { exitCode, stdout } = await validateStdin(bytes);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("byte 0xe9 at byte offset 16");
  expect(stdout).toContain(" --> <stdin>:2:3\n");
  const machine = JSON.parse((await validateStdin(bytes, { json: true })).stdout);
  expect(machine).toMatchObject({ valid: false, version: null, issues: [{ rule: "json-syntax", path: "" }] });
});

test("people see the first issues and a count; --json has all", async () => {
  const events = Array.from({ length: issuesShownMax + 5 }, () => ({ eventType: "sing" }));
  const { stdout } = await validateStdin(withEvents(...events));
  expect(stdout.match(/^error\[/gmu)).toHaveLength(issuesShownMax);
  expect(stdout).toContain("... and 5 more (--json lists them all)\n<stdin>: invalid, 105 errors");
  const machine = JSON.parse((await validateStdin(withEvents(...events), { json: true })).stdout);
  expect(machine.issues).toHaveLength(issuesShownMax + 5);
});

test("an unreadable file does not stop the others", async () => {
  const io = createMemoryIo({ stdin: JSON.stringify(envelope), cwd: import.meta.dirname });
  expect(await validate(["none.json", "-"], { json: false }, io)).toBe(2);
  expect(io.written).toEqual({
    stdout: "<stdin>: valid (envelope 1.1.0)\n",
    stderr: "plenary: cannot read none.json: no such file or directory\n",
  });
});
