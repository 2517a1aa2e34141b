import { beforeAll, describe, expect, test } from "vitest";
import { answerTo } from "./evaluate.ts";
import { parseQuestion } from "./parse-question.ts";

function answer(text: string): string | undefined {
  const question = parseQuestion(text);
  return question === undefined ? undefined : answerTo(question);
}

/** What it says when nobody called it. */
function openAnswer(text: string): string | undefined {
  const question = parseQuestion(text);
  return question?.isSure ? answerTo(question) : undefined;
}

beforeAll(() => {
  answer("1 + 1");
});

describe("a calculation said to everyone is answered", () => {
  test.each([
    ["2 + 2", "2 + 2 = 4"],
    ["2+2?", "2+2 = 4"],
    ["2 + 2 =", "2 + 2 = 4"],
    ["What is 12% of 80?", "12% of 80 = 9.6"],
    ["how much is 12 percent of 80", "12 percent of 80 = 9.6"],
    ["15 percent tip on 42.50", "15% tip on 42.50 = 6.38, total 48.88"],
    ["20% tip on $30", "20% tip on 30.00 = 6.00, total 36.00"],
    ["a tip of 10% for 25", "10% tip on 25.00 = 2.50, total 27.50"],
    ["20% off 50", "20% off 50 = 40"],
    ["80 + 10%", "80 + 10% = 88"],
    ["80 - 10%", "80 - 10% = 72"],
    ["7 % 3", "7 % 3 = 1"],
    ["7 mod 3", "7 mod 3 = 1"],
    ["(3 + 4) * 2", "(3 + 4) * 2 = 14"],
    ["2(3 + 4)", "2(3 + 4) = 14"],
    ["3 x 4", "3 x 4 = 12"],
    ["3 × 4 ÷ 2", "3 × 4 ÷ 2 = 6"],
    ["2 ** 10", "2 ** 10 = 1024"],
    ["5²", "5² = 25"],
    ["-3 + 5", "-3 + 5 = 2"],
    ["0.1 + 0.2", "0.1 + 0.2 = 0.3"],
    [".5 * 4", ".5 * 4 = 2"],
    ["1,000 + 1", "1,000 + 1 = 1001"],
    ["10 / 4", "10 / 4 = 2.5"],
    ["10 / 3", "10 / 3 ≈ 3.33333333333"],
    ["sqrt(2)", "sqrt(2) ≈ 1.41421356237"],
    ["what's the square root of 144?", "the square root of 144 = 12"],
    ["√16 + 1", "√16 + 1 = 5"],
    ["3 squared", "3 squared = 9"],
    ["2 to the power of 8", "2 to the power of 8 = 256"],
    ["seven times eight", "seven times eight = 56"],
    ["twenty-five plus one hundred and five", "twenty-five plus one hundred and five = 130"],
    ["twenty five plus one hundred and five", "twenty five plus one hundred and five = 130"],
    ["two thousand three hundred minus one", "two thousand three hundred minus one = 2299"],
    ["half of 90", "half of 90 = 45"],
    ["max(3, 5) + 1", "max(3, 5) + 1 = 6"],
    ["max(3,5)", "max(3,5) = 5"],
    ["log(1000)", "log(1000) = 3"],
    ["ln(e)", "ln(e) = 1"],
    ["sin(90 deg)", "sin(90 deg) = 1"],
    ["what is 5!", "5! = 120"],
    ["what is pi?", "pi ≈ 3.14159265359"],
    ["2 pi", undefined],
    ["2 * pi", "2 * pi ≈ 6.28318530718"],
    ["2^64", "2^64 ≈ 1.84467440737e+19"],
    ["9007199254740991 + 0", "9007199254740991 + 0 = 9007199254740991"],
    ["calculate 3 + 4, please", "3 + 4 = 7"],
    ["could you tell me what is 3 + 4?", "3 + 4 = 7"],
    ["5 miles in km", "5 miles = 8.04672 km"],
    ["how long is 5 miles in km?", "5 miles = 8.04672 km"],
    ["how hot is 72 F in C", "72 F ≈ 22.222222 C"],
    ["convert 72 F to C", "72 F ≈ 22.222222 C"],
    ["100 °C in °F", "100 °C = 212 °F"],
    ["20 degrees celsius to fahrenheit", "20 degrees celsius = 68 fahrenheit"],
    ["0 celsius in kelvin", "0 celsius = 273.15 kelvin"],
    ["how many cups in 2 liters?", "2 liters ≈ 8.4535057 cups"],
    ["how many feet are in a mile", "a mile = 5280 feet"],
    ["how many seconds are there in a day?", "a day = 86400 seconds"],
    ["2 liters is how many cups", "2 liters ≈ 8.4535057 cups"],
    ["3 ft 4 in to cm", "3 ft 4 in = 101.6 cm"],
    ["5 in in cm", "5 in = 12.7 cm"],
    ["100 km/h in mph", "100 km/h ≈ 62.137119 mph"],
    ["60 miles per hour to km/h", "60 miles per hour = 96.56064 km/h"],
    ["10 knots in km/h", "10 knots = 18.52 km/h"],
    ["5 m^2 to sqft", "5 m^2 ≈ 53.819552 sqft"],
    ["100 square meters in square feet", "100 square meters ≈ 1076.391 square feet"],
    ["150 pounds in kg", "150 pounds = 68.0388555 kg"],
    ["500 kcal in kJ", "500 kcal = 2092 kJ"],
    ["1 GiB in MB", "1 GiB = 1073.741824 MB"],
    ["2 km + 300 m", "2 km + 300 m = 2.3 km"],
    ["2 km + 300 m in miles", "2 km + 300 m ≈ 1.4291537 miles"],
    ["100 km / 2 h", "100 km / 2 h = 50 km / hour"],
    ["3/4 cup in ml", "3/4 cup ≈ 177.44118 ml"],
    ["6'2\" in cm", "6'2\" = 187.96 cm"],
    ["cos 60 degrees", "cos 60 degrees = 0.5"],
    ["3 m * 4 m", "3 m * 4 m = 12 m^2"],
    ["add 5 and 7", "add 5 and 7 = 12"],
    ["subtract 3 from 10", "subtract 3 from 10 = 7"],
    ["what is 10 factorial", "10 factorial = 3628800"],
    ["six miles in km", "six miles = 9.656064 km"],
  ])("%s", (text, said) => {
    expect(openAnswer(text)).toBe(said);
  });
});

describe("an impossible calculation is explained", () => {
  test.each([
    ["5 kg to miles", "5 kg cannot be converted to miles: one is mass, the other length."],
    ["how many liters in 3 hours", "3 hours cannot be converted to liters: one is time, the other volume."],
    ["100 km/h in kg", "100 km/h cannot be converted to kg: they measure different things."],
    ["5 kg + 3 m", "5 kg + 3 m has no answer: these units do not go together."],
    ["5 kg + 3", "5 kg + 3 has no answer: these units do not go together."],
    ["1 / 0", "1 / 0 has no answer: nothing can be divided by zero."],
    ["0 / (2 - 2)", "0 / (2 - 2) has no answer: nothing can be divided by zero."],
    ["5 mod 0", "5 mod 0 has no answer: nothing can be divided by zero."],
    ["5 km / 0 km", "5 km / 0 km has no answer: nothing can be divided by zero."],
    ["sqrt(-1)", "sqrt(-1) has no answer among the real numbers."],
    ["10^400", "10^400 is too large for me: I stop at about 10^308."],
  ])("%s", (text, said) => {
    expect(openAnswer(text)).toEqual(said);
  });
});

test.each(["100 dollars in euros", "5 usd to eur", "convert $5 to £", "how many yen in 20 pounds", "€ 20 in dollars"])(
  "a currency conversion is declined: %s",
  (text) => {
    expect(openAnswer(text)).toMatch(/^I have no exchange rates/u);
  },
);

describe("an ambiguous calculation is answered only when the calculator is called", () => {
  test.each([
    ["24/7", "24/7 ≈ 3.42857142857"],
    ["9-5", "9-5 = 4"],
    ["4x4", "4x4 = 16"],
    ["5!", "5! = 120"],
  ])("%s", (text, said) => {
    expect(openAnswer(text)).toBeUndefined();
    expect(answer(text)).toBe(said);
  });
});

describe("text that is no calculation gets no answer", () => {
  test.each([
    ...["", " ", "?", "42", "-5", "+1", "100%", "five", "twenty one", "3.14", "1,000", "what is 5", "pi", "e"],
    ...["2026-11-16", "what is 2026-11-16", "16.11.2026", "11/16/2026", "10:30", "10:30 - 12:00"],
    ...["+49 30 1234567", "(555) 123-4567", "555-123-4567", "1-800-555-0199", "192.168.0.1", "1.2.3"],
    ...["how long is 5 minutes", "how long is it", "how far is 5", "how long are 2 weeks until Friday"],
    ...["I have 2 apples", "2 apples + 3 pears", "5 km", "a mile", "how many people are in 2 rooms", "nine to five"],
    ...["one in four", "2 for 1", "1 of 3", "three cheers", "the second", "second", "in a minute", "a day", "to be"],
    ...["what is love", "what is the time", "how much is the fish", "convert me", "times are hard", "times", "over"],
    ...["what is 9 in Tokyo", "what is 15:00 UTC in Tokyo", "5 pm in Berlin", "what day is it", "5 in cm", "5 to cm"],
    ...[
      "C++",
      "a - b",
      "x + 1",
      "half of them",
      "a third of us",
      "you + me",
      "5 + five apples",
      "2 +",
      "+ + 2",
      "()",
      "2 2",
    ],
    ...["1,5 + 2", "1 + (2", "sqrt", "square root of", "% of 80", "of 80", "pounds of 2 + 2", "in 2 weeks", "2 weeks"],
  ])("%s", (text) => {
    expect(openAnswer(text)).toBeUndefined();
  });
});

describe("hostile input gets no answer, or a fast one", () => {
  const long = (text: string) => text.repeat(190 / text.length);
  test.each([
    ...[
      "import({x: 1})",
      "createUnit('foo')",
      "evaluate('1+1')",
      "parse('1+1')",
      "simplify('x+x')",
      "derivative('x', 'x')",
    ],
    ...[
      "config({})",
      "typed()",
      "help(sin)",
      "compile('1')",
      "parser()",
      "chain(1)",
      "reviver",
      "math.evaluate",
      "this",
    ],
    ...[
      "cos.constructor('return process')()",
      "constructor",
      "__proto__",
      "toString()",
      "(1).constructor",
      "process.exit()",
    ],
    ...[
      "a = 1",
      "f(x) = f(x)",
      "pi = 3",
      "x; y",
      "1; 2",
      "[1, 2, 3]",
      "[1:1e9]",
      "1:1e9",
      "{a: 1}",
      '"text"',
      "'a' * 9",
    ],
    ...["zeros(1e5, 1e5)", "ones(99999)", "range(1, 1e9)", "random()", "factorial(1e9)", "combinations(1e9, 5e8)"],
    ...[
      "permutations(99)",
      "bignumber(2)^999999",
      "fraction(1, 3)",
      "2 ? 3 : 4",
      "1 < 2",
      "true + 1",
      "null + 1",
      "i * i",
    ],
    ...[
      "9^9^9^9^9^9",
      "1e308 * 10",
      "170! * 170!",
      "999999999!",
      "5!!!!!!!!!!!!!!",
      "0.5!",
      "(-1)!",
      "1e999 + 1",
      "2^-1e308",
    ],
    ...[
      "gcd(1e300, 3)",
      "lcm(9007199254740991, 9007199254740989)",
      "gcd(0.1, 0.3)",
      "round(1.5, 99)",
      "log(-1)",
      "tan(1e300)",
    ],
    ...["(5 m)^999999 + 1", "5 m^99999999 + 1 m", "sqrt(5 m) + 1", "max()", "min(1 kg, 2 m)", "1e5 km^3 + 5 K"],
    ...[
      long("("),
      long("(1+"),
      long("9^"),
      long("9!"),
      long("-"),
      long("2 m "),
      long("one "),
      long("million "),
      long("sqrt "),
    ],
    ...[
      long("1,000,"),
      long("how many "),
      long("% of "),
      "9".repeat(199),
      `2 + ${"9".repeat(29)}`,
      "2+2".repeat(100_000),
    ],
    ...[" ".repeat(100_000), "how many ".repeat(10_000), `1${" ".repeat(180)}+ 1`],
  ])("%s", (text) => {
    expect(answer(text) ?? "").not.toMatch(/undefined|NaN|Infinity|function|Error|\[object/u);
    // Time is judged in nightly runs only (D46).
    if (process.env.PLENARY_NIGHTLY === "1") expect(fastestMs(() => answer(text))).toBeLessThan(500);
  });

  test.each([
    "import({x: 1}) + 1",
    "a = 1",
    "cos.constructor('return process')()",
    "[1:1e9]",
    "zeros(1e5, 1e5)",
    "i * i",
  ])("refused: %s", (text) => {
    expect(answer(text)).toBeUndefined();
  });

  test("the lists of allowed names refuse what the parser lets through", () => {
    const refused = "import(1)|a = 1|[1, 2]|1:5|evaluate(1)|f(x) = x|pi.constructor|i";
    for (const expression of refused.split("|")) {
      expect(answerTo({ kind: "calculation", shown: "?", expression, isSure: true })).toBeUndefined();
    }
  });
});

/** The fastest of three: the least disturbed by other work. */
function fastestMs(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const began = performance.now();
    run();
    return performance.now() - began;
  });
  return Math.min(...times);
}
