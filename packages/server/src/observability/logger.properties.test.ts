import fc from "fast-check";
import { expect, test } from "vitest";
import { newToken } from "../ports/clock.ts";
import { newCredentialToken } from "../ports/credentials.ts";
import { createLogger, lineCharsMax } from "./logger.ts";

function linesOf(format: "json" | "pretty", message: string, fields?: Record<string, unknown>): string[] {
  const lines: string[] = [];
  const logger = createLogger({
    format,
    hasColours: false,
    level: "debug",
    write: (line) => lines.push(line),
    schedule: () => {},
  });
  for (const level of ["debug", "info", "warn", "error"] as const) logger[level](message, fields);
  return lines;
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("\n", "\r\n", "\u2028", "\u0085", "\u001b[2J", "\u009b31m", "\ud800", "\u202e", '{"level":"error"}'),
  fc.constantFrom("__proto__", "time", "level", "message", "error", "constructor", "toString", "toJSON"),
);
const thrower = fc.constantFrom(
  () => new Proxy({}, { ownKeys: () => [][1] as never }),
  () => new Proxy({}, { getPrototypeOf: () => expect.unreachable() }),
  () => Object.defineProperty({}, "a", { enumerable: true, get: () => expect.unreachable() }),
  () => Object.defineProperty(new Error("x"), "message", { get: () => expect.unreachable() }),
  () => Object.defineProperty(new Error("x"), "cause", { get: () => expect.unreachable() }),
  () => ({ toString: () => expect.unreachable(), toJSON: () => expect.unreachable() }),
);
const anything = fc.oneof(
  fc.anything({
    ...{ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSet: true },
    ...{ withSparseArray: true, withTypedArray: true, withBoxedValues: true, key: text, values: [text, fc.bigInt()] },
  }),
  text.map((message) => new Error(message, { cause: new AggregateError([message, new Error(message)], message) })),
  thrower.map((create) => create()),
);
const fields = fc.dictionary(text, anything);

test("a line is always one line of valid JSON, and no value throws", () => {
  fc.assert(
    fc.property(text, fields, (message, given) => {
      const lines = linesOf("json", message, given);
      expect(lines).toHaveLength(4);
      for (const [index, line] of lines.entries()) {
        expect(line).toMatch(/^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]*\n$/u);
        expect(line.length).toBeLessThanOrEqual(lineCharsMax + 1);
        const read = JSON.parse(line);
        expect(read.level).toBe(["debug", "info", "warn", "error"][index]);
        expect(new Date(read.time).toISOString()).toBe(read.time);
      }
    }),
  );
});

test("in the pretty form no value begins a line of its own", () => {
  fc.assert(
    fc.property(text, fields, (message, given) => {
      const lines = linesOf("pretty", message, given);
      expect(lines).toHaveLength(4);
      for (const line of lines) {
        const [head, ...below] = line.slice(0, -1).split("\n");
        expect(head).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z (?:DEBUG|INFO |WARN |ERROR) /u);
        for (const one of below) expect(one).toMatch(/^ {4}(?:at|caused by) /u);
        expect(line.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]/u);
      }
    }),
  );
});

type Planted = { secret: string; message: string; fields: Record<string, unknown> };

const own = fc.constantFrom("key", "link", "guest", "session", "page").map((kind) => {
  const { token } = newCredentialToken(kind as "key");
  return { secret: token.split("_").slice(2).join("_"), text: token };
});
const operators = fc.constant(null).map(() => {
  const token = newToken();
  return { secret: token, text: token };
});
const foreign = fc
  .stringMatching(/^[A-Za-z0-9]{12,30}$/)
  .chain((secret) =>
    fc
      .constantFrom(`Bearer ${secret}`, `https://ann:${secret}@a.example/`, `/a?token=${secret}&b=1`, `whsec_${secret}`)
      .map((written) => ({ secret, text: written })),
  );
const names = ["token", "authorization", "Cookie", "client_secret", "userPassword", "apiKey", "x-api-key", "ticket"];

/** A credential in a message, a field, a list, a name or an error; or a bare secret under the name of a credential. */
const planted: fc.Arbitrary<Planted> = fc
  .tuple(fc.oneof(own, operators, foreign), text, fc.constantFrom(...names), fc.nat({ max: 6 }))
  .map(([{ secret, text: written }, around, name, place]) => {
    const words = `${around} ${written} ${around}`;
    const places: Record<string, unknown>[] = [
      {},
      { about: words },
      { about: [{ deep: [words] }] },
      { [written]: 1 },
      { error: new Error("outer", { cause: new Error(words) }) },
      { [name]: secret },
      { about: { [name]: [secret, { secret }] } },
    ];
    return { secret, message: place === 0 ? words : "a message", fields: places[place] ?? {} };
  });

test("no credential is in a line, whatever place it has", () => {
  fc.assert(
    fc.property(planted, ({ secret, message, fields: given }) => {
      for (const format of ["json", "pretty"] as const) {
        for (const line of linesOf(format, message, given)) expect(line).not.toContain(secret);
      }
    }),
    { numRuns: 500 },
  );
});

test("a credential that a limit cuts in two is not in a line", () => {
  fc.assert(
    fc.property(fc.oneof(own, foreign), fc.nat({ max: 10_000 }), ({ secret, text: written }, length) => {
      const long = `${"a ".repeat(length / 2)}${written} ${"b ".repeat(5_000)}`;
      for (const line of linesOf("json", long, { about: long, error: new Error(long) })) {
        expect(line).not.toContain(secret.slice(0, 10));
      }
    }),
  );
});
