import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { main, plenary } from "../support/plenary-command.ts";

test("the built command can be started by name", () => {
  expect(readFileSync(main, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/u);
});

test("no command and --help print the same help and succeed", () => {
  const bare = plenary([]);
  expect(bare).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Examples:"), stderr: "" });
  expect(plenary(["--help"])).toEqual(bare);
});

test("--version prints a version", () => {
  expect(plenary(["--version"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test("wrong usage exits 2 and prints nothing on stdout", () => {
  expect(plenary(["valdate"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "plenary: unknown command 'valdate'\n(Did you mean validate?)\nHelp: plenary --help\n",
  });
  expect(plenary(["convert", "clean.json", "--to", "0.9.4"])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("0.9.3, 1.0.0, 1.1.0"),
  });
});
