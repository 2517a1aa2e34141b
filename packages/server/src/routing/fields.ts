import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { type Identification, isRecord } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { isUri } from "../ports/speaker-uri.ts";

type Fields = Record<string, unknown>;

export function invalidField(pointer: string, detail: string): Problem {
  return new Problem("bad-request", { pointer, detail: `${pointer}: ${detail}` });
}

export function textField(fields: Fields, name: string, at = "", max = textMax): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.length === 0 || value.length > max) {
    throw invalidField(`${at}/${name}`, `a text of 1 to ${max} characters`);
  }
  return value;
}

const textMax = 2_048;

export function requiredText(fields: Fields, name: string, at = ""): string {
  const value = textField(fields, name, at);
  if (value === undefined) throw invalidField(`${at}/${name}`, "it is missing");
  return value;
}

const titleMax = 200;
/** Control characters, lone surrogates, line separators, and direction overrides. */
const unwritable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Characters without visible glyphs. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The title of a conversation. */
export function titleField(fields: Fields): string | undefined {
  return lineField(fields, "title", titleMax);
}

const nameMax = 100;

/** The display name of a person. */
export function nameField(fields: Fields): string | undefined {
  return lineField(fields, "name", nameMax);
}

/** A visible text on one line that does not affect the text around it. */
function lineField(fields: Fields, name: string, max: number): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined) return undefined;
  const line = typeof value === "string" ? value.trim() : "";
  const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(line.replace(invisible, ""));
  if (isVisible && line.length <= max && !unwritable.test(line)) return line;
  throw invalidField(`/${name}`, `a text of 1 to ${max} characters with a visible one, without control characters`);
}

export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text);
}

/** Normalized by the URL parser, so it contains no control characters. */
export function urlField(fields: Fields, name: string): string | undefined {
  const value = textField(fields, name);
  if (value === undefined) return undefined;
  if (!isWebUrl(value)) throw invalidField(`/${name}`, "an http or https URL");
  const { href, username, password } = new URL(value);
  if (username !== "" || password !== "") {
    throw invalidField(`/${name}`, "an http or https URL without a user name or password: all conversants can read it");
  }
  if (href.length > textMax) throw invalidField(`/${name}`, `a URL of 1 to ${textMax} characters`);
  return href;
}

export function requiredUrl(fields: Fields, name: string): string {
  const value = urlField(fields, name);
  if (value === undefined) throw invalidField(`/${name}`, "it is missing");
  return value;
}

export function numberField(
  fields: Fields,
  name: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalidField(`/${name}`, `a whole number from ${min} to ${max}`);
}

/** `{identification: {speakerUri, ...}}`, as a conversant is written in an envelope. */
export function conversantField(
  fields: Fields,
  name: string,
): (Partial<Identification> & { speakerUri: string }) | undefined {
  const conversant = fields[name];
  if (conversant === undefined) return undefined;
  if (!isRecord(conversant)) throw invalidField(`/${name}`, "an object with an identification");
  return identificationIn(conversant, `/${name}`);
}

export function identificationIn(fields: Fields, at: string): Partial<Identification> & { speakerUri: string } {
  const { identification } = fields;
  const pointer = `${at}/identification`;
  if (!isRecord(identification)) throw invalidField(pointer, "an object with a speakerUri");
  const speakerUri = speakerUriField(identification, "speakerUri", pointer);
  if (speakerUri === undefined) throw invalidField(`${pointer}/speakerUri`, "it is missing");
  const texts = ["serviceUrl", "organization", "conversationalName", "synopsis", "department", "role"] as const;
  const given = texts
    // The official samples write unknown texts as empty strings: absent.
    .filter((text) => identification[text] !== "")
    .map((text) => [text, textField(identification, text, pointer)] as const);
  const openFloorRoles = rolesIn(identification, pointer);
  return {
    speakerUri,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(openFloorRoles && { openFloorRoles }),
  };
}

function rolesIn({ openFloorRoles }: Fields, at: string): Identification["openFloorRoles"] {
  if (openFloorRoles === undefined) return undefined;
  if (isRecord(openFloorRoles) && Object.values(openFloorRoles).every((value) => typeof value === "boolean")) {
    return openFloorRoles as Record<string, boolean>;
  }
  throw invalidField(`${at}/openFloorRoles`, 'an object of true and false, such as {"convener": true}');
}

export function speakerUriField(fields: Fields, name: string, at = ""): string | undefined {
  const value = textField(fields, name, at);
  if (value === undefined || isUri(value)) return value;
  throw invalidField(`${at}/${name}`, "a URI, such as tag:you.example,2026:me");
}

const choices: Partial<Record<keyof FloorOptions, readonly string[]>> = {
  policy: ["guarded", "spec"],
  floorEnforcement: ["table", "advisory"],
  onConvenerFailure: ["open", "closed"],
  newcomersSee: ["fromJoin", "everything"],
  guestsMay: ["speak", "moderate"],
  whisperAnswers: ["private", "asWritten"],
};
const urls: readonly string[] = ["convener", "favoriteAgent"];
const numberMax = 86_400_000;

/**
 * The conversation options in a request; `others` are its other fields. `bounds` is undefined for the operator, who may
 * exceed the limits of the floor.
 */
export function floorOptionsIn(
  fields: Fields,
  defaults: FloorOptions,
  others: readonly string[],
  bounds: FloorOptions | undefined,
): FloorOptions {
  const chosen = Object.keys(fields)
    .filter((name) => !others.includes(name))
    .map((name) => [name, optionIn(fields, name)] as const);
  if (bounds !== undefined) for (const [name, value] of chosen) assertWithin(bounds, name, value);
  return { ...defaults, ...Object.fromEntries(chosen) };
}

function assertWithin(bounds: FloorOptions, name: string, value: string | number | undefined): void {
  const own = (bounds as Record<string, unknown>)[name];
  if (typeof value === "number" && typeof own === "number" && value > own) {
    throw beyond(name, `at most ${own} on this floor; the operator may choose more`);
  }
  if (name === "policy" && value === "spec" && own !== value) {
    throw beyond(name, `${own} on this floor; the operator may choose ${value}`);
  }
}

function beyond(name: string, detail: string): Problem {
  const fix = "leave it out, or ask the operator of the floor";
  return new Problem("forbidden", { pointer: `/${name}`, detail: `/${name}: ${detail}`, fix });
}

function optionIn(fields: Fields, name: string): string | number | undefined {
  if (urls.includes(name)) return urlField(fields, name);
  if (name === "parent") return textField(fields, name);
  if (name === "title") return titleField(fields);
  const allowed = Object.hasOwn(choices, name) ? choices[name as keyof FloorOptions] : undefined;
  if (allowed === undefined && !Object.hasOwn(defaultOptions, name) && name !== "agentTimeoutMs") {
    throw invalidField(`/${name}`, "there is no such option");
  }
  if (allowed === undefined) return numberField(fields, name, 1, numberMax);
  const value = fields[name];
  if (typeof value === "string" && allowed.includes(value)) return value;
  throw invalidField(`/${name}`, `one of ${allowed.join(", ")}`);
}

export function numberQuery(
  value: string | undefined,
  name: string,
  bounds: { min: number; max: number; default: number },
) {
  if (value === undefined) return bounds.default;
  const number = /^\d{1,15}$/u.test(value) ? Number(value) : Number.NaN;
  if (number >= bounds.min && number <= bounds.max) return number;
  throw new Problem("bad-request", { detail: `${name} is a whole number from ${bounds.min} to ${bounds.max}` });
}
