// The example of README.md and docs/client.md, run as it is written.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as client from "@plenary/client";
import { expect, test } from "vitest";
import { token } from "../support/start-test-floor.ts";
import { createCollection } from "../support/wait-for.ts";
import { useClientFloor } from "./client-floor.ts";

const { start } = useClientFloor();
const root = join(import.meta.dirname, "../..");

const example = (file: string) => {
  const [, code = ""] = /```js\n(import \{ connect \}[^`]+)```/u.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return code;
};

test("the example of the README prints the answer of the clock", async () => {
  expect(example("docs/client.md")).toBe(example("README.md"));
  const { url } = await start();
  const code = example("README.md")
    .replace(/^import .*$/mu, "")
    .replace("http://127.0.0.1:7536", url);
  const printed = createCollection<string>();
  const console = { log: (...words: string[]) => printed.add(words.join(" ")) };
  let floor: client.Floor | undefined;
  const connect = async (options: client.ConnectOptions) => {
    floor = await client.connect(options);
    return floor;
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const running: Promise<void> = new AsyncFunction("connect", "token", "console", code)(connect, token, console);
  const ended = running.catch((error: unknown) => error);
  const lines = await printed.until((all) => all.some((line) => line.includes("in Tokyo on")), "the answer");
  expect(lines).toContain("Host what time is it in Tokyo?");
  await floor?.close();
  expect(await ended).toMatchObject({ name: "AbortError" });
});
