import { xmlTokens } from "./xml-tokens.ts";

/** Text with one prosody. Rate, pitch and volume are 1 by default. */
export type SpeechSegment = {
  text: string;
  pauseBeforeMs: number;
  /** 0.25 to 4. */
  rate: number;
  /** 0 to 2. */
  pitch: number;
  /** 0 to 1. */
  volume: number;
  language?: string;
  emphasis?: "strong" | "moderate" | "reduced";
};

type Prosody = Omit<SpeechSegment, "text" | "pauseBeforeMs">;
type OpenElement = { name: string; manner: Prosody; isSilent: boolean; readAs?: string };
type ParseState = { segments: SpeechSegment[]; levels: OpenElement[]; pauseMs: number };

const sourceMax = 50_000;
const segmentsMax = 500;
const levelsMax = 64;
const pauseMsMax = 10_000;

const plain: Prosody = { rate: 1, pitch: 1, volume: 1 };
const silent = new Set(["metadata", "meta", "lexicon", "lookup", "desc", "script", "style"]);
const betweenMs = table({ p: 600, paragraph: 600, s: 300, sentence: 300 });
const breakMs = table({ none: 0, "x-weak": 100, weak: 250, medium: 500, strong: 1000, "x-strong": 1500 });
const rates = table({ "x-slow": 0.5, slow: 0.75, medium: 1, default: 1, fast: 1.25, "x-fast": 1.75 });
const pitches = table({ "x-low": 0.5, low: 0.75, medium: 1, default: 1, high: 1.25, "x-high": 1.5 });
const volumes = table({ silent: 0, "x-soft": 0.25, soft: 0.5, medium: 1, default: 1, loud: 1, "x-loud": 1 });

function table(values: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(values));
}

/** Parses SSML 1.1 as far as browsers can speak it. Broken or unknown elements are skipped, their text stays. */
export function parseSsml(source: string): SpeechSegment[] {
  const root: OpenElement = { name: "", manner: plain, isSilent: false };
  const reader: ParseState = { segments: [], levels: [root], pauseMs: 0 };
  for (const token of xmlTokens(source.slice(0, sourceMax))) {
    if (reader.segments.length >= segmentsMax) break;
    if (token.kind === "text") speak(reader, token.text);
    else if (token.kind === "close") leave(reader, token.name);
    else {
      enter(reader, token.name, token.attributes);
      if (token.isEmpty) leave(reader, token.name);
    }
  }
  return reader.segments
    .map((segment) => ({ ...segment, text: segment.text.trim() }))
    .filter(({ text }) => text !== "");
}

function enter(reader: ParseState, name: string, attributes: Readonly<Record<string, string>>): void {
  const above = topOf(reader);
  if (name === "break" && !above.isSilent) pause(reader, breakOf(attributes));
  pause(reader, betweenMs.get(name) ?? 0);
  if (name === "sub" && attributes.alias !== undefined) speak(reader, attributes.alias);
  if (reader.levels.length >= levelsMax) return;
  const readAs = name === "say-as" ? attributes["interpret-as"] : above.readAs;
  reader.levels.push({
    name,
    manner: mannerOf(name, attributes, above.manner),
    isSilent: above.isSilent || silent.has(name) || (name === "sub" && attributes.alias !== undefined),
    ...(readAs !== undefined && { readAs }),
  });
}

/** Closes the innermost element of that name and everything in it. A stray end tag closes nothing. */
function leave(reader: ParseState, name: string): void {
  const at = reader.levels.findLastIndex((level) => level.name === name);
  if (at > 0) reader.levels.length = at;
  pause(reader, betweenMs.get(name) ?? 0);
}

function speak(reader: ParseState, raw: string): void {
  const { manner, isSilent, readAs } = topOf(reader);
  const words = raw.replace(/\s+/gu, " ");
  const last = reader.segments.at(-1);
  if (isSilent || words === "") return;
  if (words === " ") {
    if (last !== undefined && !last.text.endsWith(" ")) last.text += " ";
    return;
  }
  const text = spelled(words, readAs);
  if (last !== undefined && reader.pauseMs === 0 && isSameManner(last, manner)) last.text += text;
  else reader.segments.push({ text, pauseBeforeMs: reader.pauseMs, ...manner });
  reader.pauseMs = 0;
}

/** No pause before the first word; of several pauses the longest counts. */
function pause(reader: ParseState, ms: number): void {
  if (reader.segments.length > 0) reader.pauseMs = Math.min(pauseMsMax, Math.max(reader.pauseMs, ms));
}

function topOf({ levels }: ParseState): OpenElement {
  return levels.at(-1) ?? { name: "", manner: plain, isSilent: false };
}

function isSameManner(a: Prosody, b: Prosody): boolean {
  const keys = ["rate", "pitch", "volume", "language", "emphasis"] as const;
  return keys.every((key) => a[key] === b[key]);
}

function mannerOf(name: string, attributes: Readonly<Record<string, string>>, above: Prosody): Prosody {
  const language = attributes["xml:lang"] ?? (name === "voice" ? attributes.languages?.split(/\s/u)[0] : undefined);
  const manner = language !== undefined && /^[\w-]{2,35}$/u.test(language) ? { ...above, language } : above;
  if (name === "emphasis") return withEmphasis(manner, attributes.level ?? "moderate");
  if (name !== "prosody") return manner;
  const { rate = "", pitch = "", volume = "" } = attributes;
  return {
    ...manner,
    rate: clamp(rates.get(rate) ?? factorOf(rate, above.rate), 0.25, 4),
    pitch: clamp(pitches.get(pitch) ?? factorOf(pitch, above.pitch), 0, 2),
    volume: clamp(volumes.get(volume) ?? loudnessOf(volume, above.volume), 0, 1),
  };
}

function withEmphasis(manner: Prosody, level: string): Prosody {
  const { emphasis: _, ...rest } = manner;
  return level === "strong" || level === "moderate" || level === "reduced" ? { ...rest, emphasis: level } : rest;
}

/**
 * "80%" and "1.2" are relative to the default, "+20%" and "-2st" to the enclosing element. A pitch in Hz is ignored.
 */
function factorOf(value: string, above: number): number {
  const [, sign, digits, unit] = /^([+-]?)(\d{1,6}(?:\.\d{1,6})?)(%|st|)$/u.exec(value.trim()) ?? [];
  if (digits === undefined) return above;
  const amount = Number(digits) * (sign === "-" ? -1 : 1);
  if (unit === "st") return above * 2 ** (amount / 12);
  if (unit === "%") return sign === "" ? amount / 100 : above * (1 + amount / 100);
  return sign === "" ? amount : above;
}

function loudnessOf(value: string, above: number): number {
  const [, decibels] = /^([+-]?\d{1,3}(?:\.\d{1,6})?)dB$/iu.exec(value.trim()) ?? [];
  if (decibels !== undefined) return above * 10 ** (Number(decibels) / 20);
  // SSML 1.0 counted from 0 to 100.
  return /^\d{1,3}(?:\.\d{1,6})?$/u.test(value.trim()) ? Number(value) / 100 : above;
}

function breakOf({ time, strength }: Readonly<Record<string, string>>): number {
  const [, digits, unit] = /^\+?(\d{1,6}(?:\.\d{1,6})?)(ms|s)$/u.exec(time?.trim() ?? "") ?? [];
  if (digits !== undefined) return Number(digits) * (unit === "s" ? 1000 : 1);
  return breakMs.get(strength ?? "medium") ?? 500;
}

function spelled(words: string, readAs: string | undefined): string {
  if (readAs === undefined || !/^(?:characters|spell-out|verbatim|digits|telephone)$/u.test(readAs)) return words;
  return [...words.trim()].filter((character) => character !== " ").join(" ");
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
