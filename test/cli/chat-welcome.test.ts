import { expect, test } from "vitest";
import { plenary } from "../support/plenary-command.ts";

test("without named agents the same ones join as on the page, and the guide speaks last", () => {
  const { exitCode, stdout } = plenary(["chat", "--json", "--store", ":memory:"], { input: "" });
  expect(exitCode).toBe(0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const invited = lines.flatMap(({ event }) => (event?.eventType === "invite" ? [event.to.serviceUrl] : []));
  expect(invited.map((serviceUrl: string) => serviceUrl.split("/").at(-1))).toEqual(["clock", "calculator", "guide"]);
});
