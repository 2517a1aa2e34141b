// The words of a calculation, and the tokens that a text with them consists of. The calculator evaluates no other names.

/** Units by what they measure: the name in mathjs, and what people write for it. Case matters only where two words differ by it. */
const measures: Record<string, Record<string, string>> = {
  length: {
    mm: "mm millimeter millimeters millimetre millimetres",
    cm: "cm centimeter centimeters centimetre centimetres",
    m: "m meter meters metre metres",
    km: "km kilometer kilometers kilometre kilometres kms",
    inch: "in inch inches",
    ft: "ft foot feet",
    yard: "yd yard yards",
    mile: "mi mile miles",
    nauticalMile: "nmi",
  },
  area: {
    "cm^2": "cm2 cm² sqcm",
    "m^2": "m2 m² sqm",
    "km^2": "km2 km² sqkm",
    "inch^2": "in2 sqin",
    "ft^2": "ft2 ft² sqft",
    "mile^2": "mi2 sqmi",
    acre: "acre acres",
    hectare: "ha hectare hectares",
  },
  volume: {
    ml: "ml mL milliliter milliliters millilitre millilitres",
    cl: "cl centiliter centiliters",
    dl: "dl deciliter deciliters",
    liter: "l L liter liters litre litres",
    "m^3": "m3 m³",
    "cm^3": "cm3 cm³ cc",
    teaspoon: "tsp teaspoon teaspoons",
    tablespoon: "tbsp tablespoon tablespoons",
    fluidounce: "floz",
    cup: "cup cups",
    pint: "pint pints",
    quart: "quart quarts",
    gallon: "gal gallon gallons",
  },
  mass: {
    mg: "mg milligram milligrams",
    g: "g gram grams gramme grammes",
    kg: "kg kilo kilos kilogram kilograms kgs",
    tonne: "t tonne tonnes",
    oz: "oz ounce ounces",
    lbm: "lb lbs pound pounds",
    stone: "stone stones",
    ton: "ton tons",
  },
  temperature: {
    degC: "°c ℃ c celsius centigrade",
    degF: "°f ℉ f fahrenheit",
    K: "k kelvin",
  },
  time: {
    ms: "ms millisecond milliseconds",
    s: "s sec secs second seconds",
    minute: "min mins minute minutes",
    hour: "h hr hrs hour hours",
    day: "day days",
    week: "week weeks",
    month: "month months",
    year: "year years",
  },
  speed: { "(mile/hour)": "mph", "(km/hour)": "kmh kph", "(m/s)": "mps", "(nauticalMile/hour)": "knot knots" },
  energy: {
    J: "J joule joules",
    kJ: "kJ kilojoule kilojoules",
    calorie: "cal calorie",
    kilocalorie: "kcal kilocalorie kilocalories calories",
    Wh: "Wh",
    kWh: "kWh",
  },
  power: { W: "W watt watts", kW: "kW kilowatt kilowatts", MW: "MW megawatt megawatts", hp: "hp horsepower" },
  pressure: { Pa: "Pa pascal", hPa: "hPa", kPa: "kPa", bar: "bar bars", psi: "psi", atm: "atm" },
  "an amount of data": {
    bit: "bit bits",
    byte: "byte bytes",
    kB: "kB kilobyte kilobytes",
    MB: "MB megabyte megabytes",
    GB: "GB gigabyte gigabytes",
    TB: "TB terabyte terabytes",
    KiB: "KiB",
    MiB: "MiB",
    GiB: "GiB",
    TiB: "TiB",
    Mb: "Mbit megabit megabits",
    Gb: "Gbit gigabit gigabits",
  },
  angle: { deg: "deg degree degrees", rad: "rad radian radians" },
};

type UnitWord = { name: string; measures: string };

const units = new Map<string, UnitWord>();
for (const [kind, names] of Object.entries(measures)) {
  for (const [name, words] of Object.entries(names)) {
    for (const word of words.split(" ")) units.set(word, { name, measures: kind });
  }
}
const unitsByLowerCase = new Map([...units].map(([word, unit]) => [word.toLowerCase(), unit]));

function unitNamed(word: string): UnitWord | undefined {
  return units.get(word) ?? unitsByLowerCase.get(word.toLowerCase());
}

/** The mathjs names inside them: `km^2` has km. */
export const unitNames: readonly string[] = [
  ...new Set([...units.values()].flatMap(({ name }) => name.match(/[A-Za-z]+/gu) ?? [])),
];

/** Units that mathjs does not have, defined by others. */
export const ownUnits = { nauticalMile: "1852 m", calorie: "4.184 J", kilocalorie: "4184 J" };

export const functionNames: readonly string[] = [
  ...["sqrt", "cbrt", "abs", "round", "floor", "ceil", "exp", "log", "log2", "log10"],
  ...["sin", "cos", "tan", "asin", "acos", "atan", "min", "max", "gcd", "lcm"],
];

export const constants: readonly string[] = ["pi", "e", "tau"];

const small: readonly string[] = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
  ...["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"],
];
const tens: readonly string[] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const large: Record<string, number> = { hundred: 100, thousand: 1_000, million: 1_000_000, billion: 1_000_000_000 };

/** The number that a number word makes with the number before it; undefined when it does not continue that number. */
function numberAfter(before: number | undefined, word: string): number | undefined {
  const scale = large[word];
  if (scale !== undefined) {
    if (before === undefined) return undefined;
    return before < scale ? before * scale : before - (before % 1_000) + (before % 1_000) * scale;
  }
  const value = small.includes(word) ? small.indexOf(word) : tens.includes(word) ? tens.indexOf(word) * 10 + 30 : -1;
  if (value < 0) return undefined;
  if (before === undefined) return value;
  const hasRoom = before % 100 === 0 && before > 0;
  const isOneOfTens = before % 10 === 0 && before % 100 >= 20 && value > 0 && value < 10;
  return hasRoom || isOneOfTens ? before + value : undefined;
}

const rate = String.raw`[\d.,]+ ?(?:%|per ?cent)`;

/** Phrases and what replaces them, applied in this order. */
const phrases: readonly [RegExp, string][] = [
  [/(?<=\b(?:twen|thir|for|fif|six|seven|eigh|nine)ty)-(?=(?:one|two|three|four|five|six|seven|eight|nine)\b)/giu, " "],
  [/\b(?:multiplied by|times)\b|[×·]/giu, " * "],
  [/(?<=[\d)]\s*)[x](?=\s*[\d(.])/giu, " * "],
  [/\bdivided by\b|\bover\b|÷|\bper\b(?! ?cent)/giu, " / "],
  [/\bplus\b/giu, " + "],
  [/\bminus\b|[−–]/giu, " - "],
  [/\b(?:raised )?to the power (?:of )?|\*\*/giu, " ^ "],
  [/\b(?:the )?square root (?:of )?|√/giu, " sqrt "],
  [/\b(?:the )?cube root (?:of )?/giu, " cbrt "],
  // A percentage refers to the amount it is added to or taken from, so it stands last and without parentheses.
  [new RegExp(`^add (${rate}) to (.+)$|^(?:increase|raise) (.+) by (${rate})$`, "giu"), "$2$3 + $1$4"],
  [new RegExp(`^subtract (${rate}) from (.+)$|^(?:decrease|reduce|lower) (.+) by (${rate})$`, "giu"), "$2$3 - $1$4"],
  [/^add (.+) (?:and|to) (.+)$|^(?:the )?sum of (.+) and (.+)$/giu, "$1$3 + $2$4"],
  [/^multiply (.+) (?:by|with|and) (.+)$/giu, "($1) * ($2)"],
  [/^divide (.+) by (.+)$/giu, "($1) / ($2)"],
  [/^subtract (.+) from (.+)$/giu, "($2) - ($1)"],
  [/\bfactorial\b/giu, " ! "],
  [/(\d+) ?['′] ?(\d+(?:\.\d+)?) ?["″]/gu, " $1 ft $2 inch "],
  [/\bsquared\b/giu, " ^ 2 "],
  [/\bcubed\b/giu, " ^ 3 "],
  [/\bper ?cent\b/giu, " % "],
  [/\bmodulo\b/giu, " mod "],
  [/\b(?:a )?half of\b/giu, " (1/2) * "],
  [/\b(?:a |one )?third of\b/giu, " (1/3) * "],
  [/\b(?:a |one )?quarter of\b/giu, " (1/4) * "],
  [/π/gu, " pi "],
  [/(?:°|\bdegrees?)\s*(celsius|fahrenheit|[cf])\b/giu, " $1 "],
  [/\bdegrees? kelvin\b/giu, " K "],
  [/\b(?:square|sq\.?) (?:meters?|metres?|m)\b/giu, " sqm "],
  [/\b(?:square|sq\.?) (?:kilometers?|kilometres?|km)\b/giu, " sqkm "],
  [/\b(?:square|sq\.?) (?:feet|foot|ft)\b/giu, " sqft "],
  [/\b(?:square|sq\.?) (?:miles?|mi)\b/giu, " sqmi "],
  [/\bcubic (?:meters?|metres?|m)\b/giu, " m3 "],
  [/\b(?:fluid ounces?|fl\.? ?oz)\b/giu, " floz "],
  [/\bnautical miles?\b/giu, " nmi "],
  [/\bmiles? (?:an|\/) hour\b/giu, " mph "],
  [/(?<=[\d)])²/gu, "^2"],
  [/(?<=[\d)])³/gu, "^3"],
];

export const currency =
  /(?:[$€£¥₹]|\b(?:usd|eur|gbp|jpy|chf|cny|inr|cad|aud|bitcoins?|btc|(?:us |american |canadian )?dollars?|euros?|pounds?(?: sterling)?|yen|francs?|yuan|rupees?|bucks)\b)/iu;

export type Token = {
  kind: "number" | "unit" | "function" | "constant" | "sign" | "to" | "of" | "off";
  text: string;
  /** Of a unit. */
  measures?: string;
};

const piece =
  /\s*(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d{1,3})?(?![\d.])|\.\d+(?![\d.]))|([\p{L}°℃℉µ]+[23²³]?)|([-+*/^!%(),]))/uy;
const numberCharsMax = 30;
const tokensMax = 80;

/** Returns undefined when the text has anything that is no part of a calculation. */
export function tokensOf(text: string): Token[] | undefined {
  const said = phrases.reduce((words, [phrase, sign]) => words.replaceAll(phrase, sign), text).trim();
  const tokens: Token[] = [];
  piece.lastIndex = 0;
  while (piece.lastIndex < said.length) {
    const found = piece.exec(said);
    if (found === null || tokens.length > tokensMax) return undefined;
    const [, number, word, sign = ""] = found;
    let token: Token | "taken" | undefined = { kind: "sign", text: sign };
    if (number !== undefined) token = numberToken(number);
    if (word !== undefined) token = wordToken(word, said.slice(piece.lastIndex), tokens);
    if (token === undefined) return undefined;
    if (token !== "taken") tokens.push(token);
  }
  return tokens;
}

function numberToken(number: string): Token | undefined {
  return number.length > numberCharsMax ? undefined : { kind: "number", text: number.replaceAll(",", "") };
}

/** Words that are a token by themselves. */
const wordKinds = new Map<string, Token["kind"]>([
  ...["to", "into", "as"].map((word) => [word, "to"] as const),
  ["of", "of"],
  ["off", "off"],
  ["mod", "sign"],
  ...constants.map((name) => [name, "constant"] as const),
]);

/** In mathjs `log` is the natural logarithm. */
const logarithms: Record<string, string> = { ln: "log", log: "log10" };

/** "taken": the word belongs to the number before it. */
function wordToken(word: string, rest: string, tokens: Token[]): Token | "taken" | undefined {
  const plain = word.toLowerCase();
  const before = tokens.at(-1);
  const isAfterNumber = before?.kind === "number" || before?.kind === "unit" || isSign(before, ")");
  const counted = numberWord(plain, rest, tokens);
  if (counted !== undefined) return counted;
  const kind = wordKinds.get(plain);
  if (kind !== undefined) return { kind, text: plain };
  // Before another unit `in` is the preposition, otherwise it may be the inch.
  if (plain === "in" && (before?.kind !== "number" || /^\s*[\p{L}°]/u.test(rest)) && !isInch(rest, before)) {
    return { kind: "to", text: plain };
  }
  // After a number `min` is the unit, not the function.
  const unit = unitNamed(word);
  const isUnit = before?.kind === "number" && unit !== undefined;
  if (!isUnit && (functionNames.includes(plain) || plain === "ln"))
    return { kind: "function", text: logarithms[plain] ?? plain };
  if (unit !== undefined) return { kind: "unit", text: unit.name, measures: unit.measures };
  return (plain === "a" || plain === "an") && !isAfterNumber ? { kind: "number", text: "1" } : undefined;
}

/** `4 in to cm`, `5 in in cm`. */
function isInch(rest: string, before: Token | undefined): boolean {
  return before?.kind === "number" && /^\s+(?:to|into|in|as)\b/iu.test(rest);
}

function numberWord(word: string, rest: string, tokens: Token[]): Token | "taken" | undefined {
  const before = tokens.at(-1);
  if (before?.kind !== "number") {
    const value = numberAfter(undefined, word);
    return value === undefined ? undefined : { kind: "number", text: String(value) };
  }
  // `one hundred and five`
  if (word === "and" && /^\s*\p{L}/u.test(rest) && Number(before.text) % 100 === 0) return "taken";
  const value = numberAfter(Number(before.text), word);
  if (value === undefined) return undefined;
  before.text = String(value);
  return "taken";
}

export function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}
