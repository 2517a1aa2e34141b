import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fixtures, plenary } from "../support/plenary-command.ts";
import { runPlenary } from "../support/run-plenary.ts";

let scratch = "";
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "plenary-convert-"));
  chmodSync(scratch, 0o755);
  cpSync(fixtures, scratch, { recursive: true });
});
afterEach(() => {
  chmodSync(scratch, 0o755);
  rmSync(scratch, { recursive: true });
});

// Root may write anywhere, so the command runs as the user nobody. A checkout that this user may not read is skipped.
const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {};
const canBeRefused =
  process.platform !== "win32" && plenary(["--version"], { cwd: tmpdir(), ...nobody }).exitCode === 0;

test("the envelope goes to stdout and the losses to stderr", () => {
  const { exitCode, stdout, stderr } = plenary(["convert", "clean.json", "--to", "1.0.0"]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openFloor: { schema: { version: "1.0.0" } } });
  expect(stdout).toMatch(/^\{\n {2}"openFloor": \{\n/u);
  expect(stderr).toMatch(/^lost \/openFloor\/events\/0: .+\n$/u);
});

test("with --json both are one line", async () => {
  const { exitCode, stdout } = await runPlenary(["convert", "--json", "clean.json", "--to", "1.0.0"]);
  expect(exitCode).toBe(0);
  expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
  expect(JSON.parse(stdout)).toMatchObject({
    envelope: { openFloor: { events: [{ eventType: "bye" }] } },
    losses: [{ path: "/openFloor/events/0", why: expect.any(String) }],
  });
});

test("0.9.3 is written and read", async () => {
  const legacy = await runPlenary(["convert", "clean.json", "--to", "0.9.3"]);
  expect(legacy.exitCode).toBe(0);
  expect(JSON.parse(legacy.stdout)).toMatchObject({ ovon: { schema: { version: "0.9.3" } } });
  const modern = await runPlenary(["convert", "-", "--to", "1.1.0"], { input: legacy.stdout });
  expect(modern.exitCode).toBe(0);
  expect(JSON.parse(modern.stdout)).toMatchObject({ openFloor: { conversation: { id: "conversation-1" } } });
});

test("the output of convert is valid without a warning", async () => {
  for (const version of ["0.9.3", "1.0.0", "1.1.0", "1.1.1"]) {
    const { stdout } = await runPlenary(["convert", "warnings.json", "--to", version]);
    expect(await runPlenary(["validate", "-"], { input: stdout })).toMatchObject({
      exitCode: 0,
      stdout: `<stdin>: valid (envelope ${version})\n`,
    });
  }
});

test("1.1.1 keeps the roles that an invite expects, and 1.1.0 reports them as lost", async () => {
  const parameters = { expectedFloorRoles: ["convener"] };
  const events = [{ eventType: "invite", to: { serviceUrl: "https://bot.example" }, parameters }];
  const sender = { speakerUri: "tag:ann.example,2025:ann" };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender, events };
  const input = JSON.stringify({ openFloor });
  const newer = await runPlenary(["convert", "-", "--to", "1.1.1"], { input });
  expect({ exitCode: newer.exitCode, stderr: newer.stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(newer.stdout)).toEqual({ openFloor: { ...openFloor, schema: { version: "1.1.1" } } });
  const older = await runPlenary(["convert", "-", "--to", "1.1.0"], { input: newer.stdout });
  expect(older.exitCode).toBe(0);
  expect(older.stderr).toBe(
    "lost /openFloor/events/0/parameters/expectedFloorRoles: 1.1.0 has no expectedFloorRoles\n",
  );
  const { parameters: _, ...bare } = events[0] ?? { parameters };
  expect(JSON.parse(older.stdout)).toEqual({ openFloor: { ...openFloor, events: [bare] } });
});

test("with -o stdout stays empty and the file is complete", async () => {
  const { exitCode, stdout } = await runPlenary(["convert", "clean.json", "--to", "1.0.0", "-o", "out.json"], {
    cwd: scratch,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  expect(readFileSync(join(scratch, "out.json"), "utf8")).toBe(
    (await runPlenary(["convert", "clean.json", "--to", "1.0.0"])).stdout,
  );
  expect(readdirSync(scratch).sort()).toEqual([...readdirSync(fixtures), "out.json"].sort());
});

test("a file can be converted in place", async () => {
  const { exitCode } = await runPlenary(["convert", "clean.json", "--to", "1.0.0", "-o", "clean.json"], {
    cwd: scratch,
  });
  expect(exitCode).toBe(0);
  const converted = JSON.parse(readFileSync(join(scratch, "clean.json"), "utf8"));
  expect(converted.openFloor.schema.version).toBe("1.0.0");
});

test("a refused document is written nowhere", async () => {
  writeFileSync(join(scratch, "out.json"), "precious");
  const before = readdirSync(scratch);
  for (const file of ["invalid.json", "manifest.json", "dialog-event.json"]) {
    const { exitCode, stdout, stderr } = await runPlenary(["convert", file, "--to", "1.0.0", "-o", "out.json"], {
      cwd: scratch,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`plenary: ${file} was not converted: `);
  }
  expect(readFileSync(join(scratch, "out.json"), "utf8")).toBe("precious");
  expect(readdirSync(scratch)).toEqual(before);
});

test("a target that is a directory, or in none, is an error, and no file is left behind", async () => {
  mkdirSync(join(scratch, "folder"));
  const before = readdirSync(scratch);
  for (const target of ["folder", "none/out.json", "clean.json/out.json"]) {
    const { exitCode, stdout, stderr } = await runPlenary(["convert", "clean.json", "--to", "1.1.0", "-o", target], {
      cwd: scratch,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^plenary: cannot write ${target}: .*directory\\n$`, "u"));
  }
  expect(readdirSync(scratch)).toEqual(before);
});

test.skipIf(!canBeRefused)("in a read-only directory no partial file is left", () => {
  writeFileSync(join(scratch, "out.json"), "precious");
  chmodSync(join(scratch, "out.json"), 0o666);
  const before = readdirSync(scratch);
  chmodSync(scratch, 0o555);
  for (const target of ["new.json", "out.json"]) {
    const outcome = plenary(["convert", "clean.json", "--to", "1.1.0", "-o", target], { cwd: scratch, ...nobody });
    expect(outcome).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `plenary: cannot write ${target}: permission denied\n`,
    });
  }
  expect(readdirSync(scratch)).toEqual(before);
  expect(readFileSync(join(scratch, "out.json"), "utf8")).toBe("precious");
});

test.skipIf(!canBeRefused)("a write-protected file is left alone", () => {
  chmodSync(scratch, 0o777);
  writeFileSync(join(scratch, "out.json"), "precious");
  chmodSync(join(scratch, "out.json"), 0o444);
  const outcome = plenary(["convert", "clean.json", "--to", "1.1.0", "-o", "out.json"], { cwd: scratch, ...nobody });
  expect(outcome).toMatchObject({ exitCode: 2, stderr: "plenary: cannot write out.json: permission denied\n" });
  expect(readFileSync(join(scratch, "out.json"), "utf8")).toBe("precious");
});
