import { expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";

async function complaintOf(args: string[]) {
  const io = createMemoryIo({ env: {} });
  const exitCode = await run(["agent", ...args], io);
  return { exitCode, stderr: io.written.stderr };
}

test("invalid URLs are reported with their options, all at once", async () => {
  const wrong = ["discovery", "--agents", "http://127.0.0.1:1", "nowhere", "--consult", "ftp://x", "--favorite", "y"];
  const about = (option: string) =>
    `plenary: --${option} has a value that is not an http or https URL: give a full URL, such as http://127.0.0.1:8080\n`;
  expect(await complaintOf(wrong)).toEqual({
    exitCode: 2,
    stderr: about("agents") + about("consult") + about("favorite"),
  });
});

test("options of the discovery agent are refused for others", async () => {
  for (const option of ["agents", "consult", "favorite", "store"]) {
    expect(await complaintOf(["echo", `--${option}`, "http://127.0.0.1:1"])).toEqual({
      exitCode: 2,
      stderr: `plenary: --${option} is for plenary agent discovery only: leave it out\n`,
    });
  }
});
