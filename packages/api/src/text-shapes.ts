import * as Type from "typebox";

/** The phrase in a problem when a value is wrong: "/title: <expected>". Documents show it as the description. */
type Expected = { expected: string; description?: string };

const textMax = 2_048;

/** A request text: not empty and not endless. */
export function Text({ max = textMax, ...options }: { max?: number; description?: string; pattern?: string } = {}) {
  return Type.String({ minLength: 1, maxLength: max, expected: `a text of 1 to ${max} characters`, ...options });
}

/** Control characters, lone surrogates, line separators, and direction overrides. */
const unwritable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Characters without visible glyphs. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A visible text on one line that does not affect the text around it. Blanks at both ends are not part of it. */
export function Line(max: number, description?: string) {
  const expected = `a text of 1 to ${max} characters with a visible one, without control characters`;
  const line = Type.String({ minLength: 1, expected, ...(description !== undefined && { description }) });
  const isRight = (value: string) => {
    const text = value.trim();
    const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(invisible, ""));
    return isVisible && text.length <= max && !unwritable.test(text);
  };
  return refined(line, isRight, expected);
}

/** Whether the text has the form of a URI. What follows the scheme is opaque. */
export function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu.test(text);
}

export function Uri(description?: string) {
  const expected = "a URI, such as tag:you.example,2026:me";
  return refined(uriText(expected, description), isUri, expected);
}

export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text);
}

/** An address that the floor may call. All conversants can read it, so it has no password. */
export function WebUrl(description?: string) {
  const expected = "an http or https URL";
  const url = refined(
    uriText(expected, description),
    (value) => isWebUrl(value) && new URL(value).href.length <= textMax,
    expected,
  );
  return refined(
    url,
    // Called for every text, also after the first check failed.
    (value) => {
      const { username, password } = isWebUrl(value) ? new URL(value) : { username: "", password: "" };
      return username === "" && password === "";
    },
    "an http or https URL without a user name or password: all conversants can read it",
  );
}

/** Documents show the format `uri`; `Refine` checks it less strictly. */
function uriText(expected: string, description: string | undefined) {
  const shown = { shownFormat: "uri", ...(description !== undefined && { description }) };
  return Type.String({ minLength: 1, maxLength: textMax, expected, ...shown });
}

export function WholeNumber(
  minimum: number,
  maximum: number,
  options: { description?: string; default?: number } = {},
) {
  const expected = `a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, expected, ...options });
}

export function Choice<const Values extends readonly string[]>(
  values: Values,
  options: { description?: string; default?: Values[number] } = {},
) {
  const schema = { type: "string", enum: values, expected: `one of ${values.join(", ")}`, ...options };
  return Type.Unsafe<Values[number]>(schema);
}

export function Flag(description?: string) {
  return Type.Boolean({ expected: "true or false", ...(description !== undefined && { description }) });
}

/** Null removes the value. */
export function OrNull<Schema extends Type.TSchema>(schema: Schema, options: { description?: string } = {}) {
  const { expected } = schema as unknown as Expected;
  return Type.Union([schema, Type.Null()], { expected: `${expected}; or null`, ...options });
}

export const Time = Type.String({ format: "date-time", description: "RFC 3339" });

function refined<Schema extends Type.TString>(schema: Schema, isRight: (value: string) => boolean, expected: string) {
  return Type.Refine(schema, isRight, () => expected);
}
