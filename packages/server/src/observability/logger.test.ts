import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createLogger, type LoggerOptions, lineCharsMax } from "./logger.ts";

const nowMs = Date.parse("2026-01-01T12:00:00.123Z");

function startLog(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const clock = createFakeClock(nowMs);
  const logger = createLogger({
    format: "json",
    hasColours: false,
    write: (line) => lines.push(line),
    clock,
    schedule: (callback, ms) => void clock.at(clock.now() + ms, callback),
    ...options,
  });
  return { logger, lines, clock, last: () => JSON.parse(lines.at(-1) ?? "") };
}

test("a line is one JSON object with time, level, message and fields", () => {
  const { logger, lines } = startLog();
  logger.info("listening", { url: "http://127.0.0.1:7536", pid: 12 });
  expect(lines).toEqual([
    '{"time":"2026-01-01T12:00:00.123Z","level":"info","message":"listening","url":"http://127.0.0.1:7536","pid":12}\n',
  ]);
});

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
  ["silent", []],
] as const)("level %s writes %j", (level, written) => {
  const { logger, lines } = startLog({ level });
  for (const name of ["debug", "info", "warn", "error"] as const) logger[name]("a message");
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(written);
});

test("an error has its name, message, code and causes, and its stack at level error only", () => {
  const { logger, last } = startLog();
  const disk = Object.assign(new Error("no space left"), { code: "ENOSPC", path: "a property that is not logged" });
  const error = new TypeError("cannot write\nthe log", { cause: disk });
  logger.error("internal error", { error });
  expect(last().error).toEqual({
    name: "TypeError",
    message: "cannot write\nthe log",
    causes: [{ name: "Error", message: "no space left", code: "ENOSPC" }],
    stack: expect.arrayContaining([expect.stringContaining("logger.test.ts")]),
  });
  logger.warn("a warning", { error });
  expect(last().error).not.toHaveProperty("stack");
});

test("the number of causes is limited, also in a cycle and among the errors of an AggregateError", () => {
  const { logger, last } = startLog();
  const loop = new Error("first");
  loop.cause = new Error("second", { cause: loop });
  logger.error("internal error", { error: loop });
  expect(last().error.causes.map(({ message }: Error) => message)).toEqual(["second"]);
  const many = Array.from({ length: 100 }, (_, index) => new Error(`no. ${index}`));
  logger.error("internal error", { error: new AggregateError(many, "all failed") });
  expect(last().error.causes).toHaveLength(4);
});

test("names of credentials hide their values", () => {
  const { logger, lines, last } = startLog();
  const hidden = {
    ...{
      token: "s3cret",
      sessionToken: "s3cret",
      "set-cookie": ["s3cret"],
      Authorization: "s3cret",
      api_key: "s3cret",
    },
    ...{ nested: { client_secret: { of: "s3cret" }, PASSWORD: 1_234_567, key: "s3cret" } },
    ...{ ["x".repeat(300)]: "s3cret", url: "https://ann:s3cret@bot.example/?ticket=s3cret&page=2#invite=s3cret" },
  };
  logger.info("a line", hidden);
  expect(lines.join()).not.toMatch(/s3cret|1234567/u);
  expect(last()).toMatchObject({ sessionToken: "[secret]", url: expect.stringContaining("page=2") });
  logger.info("a line", { tokenId: "k1", tokenFile: "floor.db-token", cookieCount: 2, isTokenGiven: true });
  expect(last()).toMatchObject({ tokenId: "k1", tokenFile: "floor.db-token", cookieCount: 2, isTokenGiven: true });
});

test("a password that the limit of a text cuts from its mark is hidden, also when all before it was a credential", () => {
  const { logger, lines } = startLog();
  const text = `Cookie: ${"c".repeat(8_100)}\nsee https://ann:s3cret-s3cret-s3cret-${"s".repeat(100)}@bot.example/`;
  logger.info(text, { about: text });
  expect(lines.join()).toContain("Cookie: [secret]\\nsee");
  expect(lines.join()).not.toContain("s3cret");
});

test("envelopes and utterances under their names are left out", () => {
  const { logger, lines } = startLog();
  const openFloor = { events: [{ parameters: "what Ann said" }] };
  logger.info("a line", { envelope: { openFloor }, nested: { openFloor }, text: "what Ann said", events: 3 });
  expect(lines.join()).not.toContain("Ann");
  expect(JSON.parse(lines.join())).toMatchObject({ envelope: "[content]", text: "[content]", events: 3 });
});

test("values that JSON does not have are shown as text", () => {
  const { logger, last } = startLog();
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const getter = {
    get broken() {
      throw new Error("no");
    },
  };
  const values = { big: 10n, none: Number.NaN, at: new Date(0), bytes: new Uint8Array(9), call: () => {}, circular };
  logger.info("a line", { ...values, getter, symbol: Symbol("s"), time: "not the time", map: new Map([[1, 2]]) });
  expect(last()).toEqual({
    time: "2026-01-01T12:00:00.123Z",
    level: "info",
    message: "a line",
    ...{ big: "10", none: "NaN", at: "1970-01-01T00:00:00.000Z", bytes: "[9 bytes]", call: "[function]" },
    ...{ circular: { self: "[circular]" }, getter: { broken: "[unreadable]" }, symbol: "Symbol(s)" },
    ...{ time_: "not the time", map: "[1 values]" },
  });
});

test("a long line is cut and stays valid", () => {
  const { logger, lines, last } = startLog();
  const long = "\u0001".repeat(100_000);
  const error = new Error(long, { cause: new Error(long) });
  logger.error(long, { error, ...Object.fromEntries(Array.from({ length: 500 }, (_, no) => [`${no}${long}`, long])) });
  expect(lines[0]?.length).toBeLessThanOrEqual(lineCharsMax + 1);
  expect(last().error.name).toBe("Error");
  expect(last().isCut).toBe(true);
  logger.error("a line", { deep: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`), wide: new Array(1e9) });
  expect(lines[1]?.length).toBeLessThanOrEqual(lineCharsMax + 1);
});

test("the pretty form is one line, with causes and frames indented below", () => {
  const { logger, lines } = startLog({ format: "pretty" });
  logger.warn("a page was refused", { origin: "http://localhost:3000", reason: "two words", count: 2 });
  expect(lines).toEqual([
    '12:00:00.123Z WARN  a page was refused origin=http://localhost:3000 reason="two words" count=2\n',
  ]);
  const cause = Object.assign(new Error("no\nspace"), { code: "ENOSPC" });
  logger.error("internal error", { error: new Error("full", { cause }) });
  const [head, caused, frame] = (lines[1] ?? "").split("\n");
  expect(head).toBe('12:00:00.123Z ERROR internal error error="Error: full"');
  expect(caused).toBe('    caused by "Error (ENOSPC): no\\nspace"');
  expect(frame).toMatch(/^ {4}at /u);
});

test("the pretty form has colours only when they are wanted", () => {
  const { logger, lines } = startLog({ format: "pretty", hasColours: true });
  logger.error("a message", { id: "c1" });
  expect(lines.join()).toContain("\u001b[31mERROR\u001b[0m a message");
});

test("a repeated error is written ten times a minute, and then the number of lines left out", async () => {
  const { logger, lines, clock, last } = startLog();
  for (let count = 0; count < 1_000; count += 1) {
    logger.error("store operation failed", { error: new Error(`no space left for entry ${count}`) });
  }
  logger.error("store operation failed", { error: new Error("another reason") });
  expect(lines).toHaveLength(11);
  await clock.advance(60_000);
  expect(lines).toHaveLength(12);
  expect(last()).toMatchObject({
    level: "error",
    message: "repeated lines were left out",
    omitted: 990,
    like: "store operation failed",
  });
  logger.error("store operation failed", { error: new Error("no space left for entry 1") });
  expect(lines).toHaveLength(13);
});

test("many different errors are limited too", async () => {
  const { logger, lines, clock, last } = startLog();
  const wordOf = (count: number) =>
    [...count.toString(26)].map((digit) => (Number.parseInt(digit, 26) + 10).toString(36));
  for (let count = 0; count < 5_000; count += 1) logger.error(`problem ${wordOf(count).join("")}`);
  expect(lines).toHaveLength(256 + 10);
  await clock.advance(60_000);
  expect(last()).toMatchObject({ omitted: 5_000 - 266, like: "several messages" });
});

test("a write that fails does not reach the caller, nor the timer of repeats", async () => {
  const { logger, clock } = startLog({
    write: () => {
      throw Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    },
  });
  for (let count = 0; count < 20; count += 1) expect(() => logger.error("a message")).not.toThrow();
  await clock.advance(60_000);
});
