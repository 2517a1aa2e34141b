import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { run } from "./run.ts";
import { createMemoryIo, type MemoryIoOptions } from "./testing/memory-io.ts";

async function plenary(args: string[], options: MemoryIoOptions = {}) {
  const io = createMemoryIo(options);
  const exitCode = await run(args, io);
  return { exitCode, ...io.written };
}

test("without a command the help is printed on stdout", async () => {
  const { exitCode, stdout, stderr } = await plenary([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: plenary /u);
  expect(await plenary(["--help"])).toEqual({ exitCode, stdout, stderr });
});

test.each([[["--help"]], [["validate", "--help"]], [["convert", "--help"]], [["help", "convert"]]])(
  "%j has examples",
  async (args) => {
    const { exitCode, stdout, stderr } = await plenary(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/Examples:\n {2}plenary /u);
  },
);

test("each command of the help explains itself", async () => {
  const { stdout } = await plenary(["--help"]);
  const listed = /^Commands:\n(?<lines>(?: .*\n)+)/mu.exec(stdout)?.groups?.lines ?? "";
  const names = [...listed.matchAll(/^ {2}(?<name>[\w-]+)/gmu)].map(({ groups }) => groups?.name ?? "");
  expect(names.length).toBeGreaterThan(10);
  for (const name of names.filter((each) => each !== "help")) {
    expect((await plenary([name, "--help"])).stdout).toMatch(new RegExp(`^Usage: plenary ${name}[ |\n]`, "u"));
  }
});

test("the version is the package's", async () => {
  expect(await plenary(["--version"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u),
  });
});

test.each([
  ["a misspelt command", ["valdate", "a.json"], "plenary: unknown command 'valdate'\n(Did you mean validate?)\n"],
  ["a misspelt option", ["validate", "--jsn", "a.json"], "plenary: unknown option '--jsn'\n(Did you mean --json?)\n"],
  ["no file", ["validate"], "plenary: missing required argument 'file'\n"],
  ["stdin twice", ["validate", "-", "-"], "plenary: stdin (-) can be read only once\n"],
  ["two files to convert", ["convert", "a", "b", "--to", "1.1.0"], "plenary: too many arguments"],
  ["no version", ["convert", "a.json"], "plenary: required option '--to <version>' not specified\n"],
  [
    "a version we do not write",
    ["convert", "a.json", "--to", "1.2.0"],
    "Allowed choices are 0.9.3, 1.0.0, 1.1.0, 1.1.1.",
  ],
])("%s is wrong usage", async (_name, args, message) => {
  const { exitCode, stdout, stderr } = await plenary(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^plenary: /u);
  expect(stderr).toMatch(/\nHelp: plenary .*--help\n$/u);
});

test("an internal error is one line, with a stack only on request", async () => {
  const broken = (env: Record<string, string>): Io & { written: { stderr: string } } => {
    const io = createMemoryIo({ stdin: "{}", env });
    return { ...io, stdout: { isTty: false, write: () => Promise.reject(new Error("it\nbroke")) } };
  };
  const io = broken({});
  expect(await run(["validate", "-"], io)).toBe(2);
  expect(io.written.stderr).toBe("plenary: internal error: it\\nbroke\n");
  const debugged = broken({ PLENARY_DEBUG: "1" });
  expect(await run(["validate", "-"], debugged)).toBe(2);
  expect(debugged.written.stderr).toMatch(/^plenary: internal error: it\\nbroke\nError: it\nbroke\n {4}at /u);
});

test("an unreadable file is not an internal error", async () => {
  const { exitCode, stderr } = await plenary(["convert", "none.json", "--to", "1.1.0"], { cwd: import.meta.dirname });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: "plenary: cannot read none.json: no such file or directory\n",
  });
});

test.each(["0", "-1", "1.5", "soon", "86401"])("serve --agent-timeout %s is wrong usage", async (seconds) => {
  const { exitCode, stderr } = await plenary(["serve", "--agent-timeout", seconds]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("A time is a whole number of seconds from 1 to 86400.");
});
