import { expect, test } from "vitest";
import { plenary } from "../support/plenary-command.ts";

test("where nobody is named the same agents come as on the page, and who teaches has the last word", () => {
  const { exitCode, stdout } = plenary(["chat", "--json", "--store", ":memory:"], { input: "" });
  expect(exitCode).toBe(0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const invited = lines.flatMap(({ event }) => (event?.eventType === "invite" ? [event.to.serviceUrl] : []));
  expect(invited.map((serviceUrl: string) => serviceUrl.split("/").at(-1))).toEqual(["clock", "calculator", "guide"]);
});
