import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { environment, fixtures, main, plenary } from "../support/plenary-command.ts";
import { runPlenary } from "../support/run-plenary.ts";

const scratch = mkdtempSync(join(tmpdir(), "plenary-validate-"));
afterAll(() => rmSync(scratch, { recursive: true }));

test("valid documents of each kind are one line each and exit 0", () => {
  expect(plenary(["validate", "clean.json", "manifest.json", "dialog-event.json", "legacy.json"])).toEqual({
    exitCode: 0,
    stdout: [
      "clean.json: valid (envelope 1.1.0)",
      "manifest.json: valid (manifest 1.0.1)",
      "dialog-event.json: valid (dialog event 1.0.2)",
      "legacy.json: valid (envelope 0.9.3)",
      "",
    ].join("\n"),
    stderr: "",
  });
});

test("warnings are shown and do not change the exit code", async () => {
  const { exitCode, stdout, stderr } = await runPlenary(["validate", "warnings.json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(" --> warnings.json:3:17  /openFloor/schema/version\n");
  expect(stdout).toMatch(/\nwarnings\.json: valid, 2 warnings \(envelope 1\.1\.0\)\n$/u);
});

const bye = {
  schema: { version: "1.1.0" },
  conversation: { id: "c1" },
  sender: { speakerUri: "tag:ann.example,2025:ann" },
  events: [{ eventType: "bye" }],
};

test.each([
  ["a missing schema", { openFloor: { ...bye, schema: undefined } }, "schema", "/openFloor/schema"],
  ["a missing version", { openFloor: { ...bye, schema: {} } }, "schema-version", "/openFloor/schema/version"],
  [
    "an unpublished version",
    { openFloor: { ...bye, schema: { version: "3.0.0" } } },
    "schema-version",
    "/openFloor/schema/version",
  ],
  ["both root keys", { openFloor: bye, ovon: bye }, "two-roots", "/ovon"],
  ["a misspelt root key", { openFlor: bye }, "root", "/openFlor"],
])("%s is an error that our parser can repair", async (_what, document, rule, path) => {
  const { exitCode, stdout } = await runPlenary(["validate", "--json", "-"], { input: JSON.stringify(document) });
  expect(JSON.parse(stdout).issues).toMatchObject([{ rule, path, severity: "error", repaired: true }]);
  expect(exitCode).toBe(1);
});

test("an invalid document among valid ones makes the command fail", async () => {
  const { exitCode, stdout, stderr } = await runPlenary(["validate", "clean.json", "invalid.json", "manifest.json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(stdout).toContain("clean.json: valid");
  expect(stdout).toContain("invalid.json: invalid, 2 errors (envelope 1.1.0)\n");
  expect(stdout).toContain("manifest.json: valid");
});

test("with --json each file is one JSON line", async () => {
  const { exitCode, stdout, stderr } = await runPlenary([
    "validate",
    "--json",
    "clean.json",
    "invalid.json",
    "manifest.json",
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { file: "clean.json", valid: true, kind: "envelope", version: "1.1.0", issues: [] },
    { file: "invalid.json", valid: false, issues: [{ severity: "error", repaired: false }, { severity: "error" }] },
    { file: "manifest.json", valid: true, kind: "manifest" },
  ]);
});

test("a missing file among good ones is reported on stderr, and the others are still checked", async () => {
  const { exitCode, stdout, stderr } = await runPlenary([
    "validate",
    "none.json",
    "invalid.json",
    "clean.json",
    "--json",
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe("plenary: cannot read none.json: no such file or directory\n");
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).file),
  ).toEqual(["invalid.json", "clean.json"]);
});

test("stdin counts as a file", () => {
  const input = '\ufeff{"openFloor": 1}';
  expect(plenary(["validate", "-"], { input })).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("<stdin>:1:2"),
  });
  expect(JSON.parse(plenary(["validate", "-", "--json"], { input }).stdout)).toMatchObject({ file: "-", valid: false });
});

test("bytes that are not UTF-8 make a document invalid", async () => {
  writeFileSync(join(scratch, "latin1.json"), Buffer.from('{"openFloor": "caf\u00e9"}', "latin1"));
  const { exitCode, stdout } = await runPlenary(["validate", "--json", "latin1.json"], { cwd: scratch });
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    version: null,
    issues: [{ rule: "json-syntax", problem: expect.stringContaining("byte offset 18"), repaired: false }],
  });
});

test("a file over the maximum size is not read, and the others are", async () => {
  writeFileSync(join(scratch, "huge.json"), "");
  truncateSync(join(scratch, "huge.json"), 64 * 1024 * 1024 + 1);
  const { exitCode, stdout, stderr } = await runPlenary(["validate", "huge.json", join(fixtures, "clean.json")], {
    cwd: scratch,
  });
  expect(exitCode).toBe(2);
  expect(stderr).toBe("plenary: cannot read huge.json: it is larger than 64 MiB, the limit for one document\n");
  expect(stdout).toContain("clean.json: valid");
});

test("a reader that closes the pipe early causes no error and does not change the exit code", async () => {
  const files = Array.from({ length: 200 }, () => "invalid.json");
  const child = spawn(process.execPath, [main, "validate", ...files], { cwd: fixtures, env: environment() });
  child.stdout.destroy();
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
});

test.skipIf(process.platform !== "linux")("a full disk is an error", () => {
  const command = `"${process.execPath}" "${main}" validate clean.json > /dev/full`;
  const { status, stderr } = spawnSync(command, { cwd: fixtures, shell: true, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 2, stderr: "plenary: cannot write stdout: no space left on device\n" });
});

test("a pipe gets no colours", () => {
  expect(plenary(["validate", "invalid.json"], { env: { FORCE_COLOR: "1" } }).stdout).not.toContain("\u001b");
});

// `script` of util-linux gives the command a terminal.
const terminal = "script";
const isUtilLinux = spawnSync(terminal, ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

test.skipIf(!isUtilLinux && process.env.CI !== "true")("a terminal gets colours unless NO_COLOR is set", () => {
  const onTerminal = (env: Record<string, string>) => {
    const command = `"${process.execPath}" "${main}" validate invalid.json`;
    return spawnSync(terminal, ["-qec", command, "/dev/null"], {
      cwd: fixtures,
      encoding: "utf8",
      env: environment({ TERM: "xterm", ...env }),
    }).stdout;
  };
  expect(onTerminal({})).toContain("\u001b[31m");
  expect(onTerminal({ NO_COLOR: "1" })).not.toContain("\u001b[");
});
