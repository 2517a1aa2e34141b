import { keepNewest } from "../../keep-newest.ts";
import { fold } from "./tokenize.ts";

/** Languages found by name; all others only by tag. */
const named =
  `af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fo fr ga gd gl gu haw he hi hr hu hy id ig is it iu
  ja ka kk km kn ko ku ky lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt rm ro ru rw sk sl sm so sq sr sv
  sw ta te tg th tk to tr uk ur uz vi xh yi yo zh zu`.split(/\s+/u);

/** Language names are known in these languages, and in each language itself. */
const commonLocales = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "cy"];

const alsoCalled: Record<string, string> = {
  mandarin: "zh",
  cantonese: "yue",
  farsi: "fa",
  castellano: "es",
  castilian: "es",
  flemish: "nl-BE",
  gaelic: "gd",
  inuit: "iu",
  inuktitut: "iu",
  norwegian: "no",
  tagalog: "fil",
  gaeilge: "ga",
  brazilian: "pt-BR",
};

let tagsByName: ReadonlyMap<string, string> | undefined;

/** Tags by folded name, of one word or two. Slow on the first call. */
export function languageNames(): ReadonlyMap<string, string> {
  tagsByName ??= readNames();
  return tagsByName;
}

function readNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const locale of [...commonLocales, ...named]) {
    const display = new Intl.DisplayNames([locale], { type: "language", fallback: "none" });
    for (const tag of commonLocales.includes(locale) ? named : [locale]) {
      const name = fold(display.of(tag) ?? "");
      // The first language with a name keeps it.
      if (name.length > 2 && !names.has(name)) names.set(name, tag);
    }
  }
  for (const [name, tag] of Object.entries(alsoCalled)) names.set(name, tag);
  return names;
}

/** The tag of `known` that fits the requested language best, with its share of 0 to 1. */
export function bestLanguageMatch(asked: string, known: readonly string[]): { tag: string; share: number } | undefined {
  let best: { tag: string; share: number } | undefined;
  for (const tag of known) {
    const share = likeness(folded(asked), folded(tag));
    if (share > (best?.share ?? 0)) best = { tag, share };
  }
  return best;
}

/** RFC 4647: `en` finds `en-us` (3.3.1, basic filtering), `en-us` falls back to `en` (3.4, lookup). */
function likeness(asked: string, known: string): number {
  if (asked === "*" || known === asked || known.startsWith(`${asked}-`)) return 1;
  if (asked.startsWith(`${known}-`)) return 0.95;
  // Our choice: another variety of the same language is better than none.
  return asked.split("-")[0] === known.split("-")[0] ? 0.8 : 0;
}

export function primaryOf(tag: string): string {
  return folded(tag).split("-")[0] ?? "";
}

const oneLanguage: Record<string, string> = { nb: "no", nn: "no", iw: "he", in: "id", tl: "fil", cmn: "zh" };

/** A cache of folded tags. */
const foldedKept = new Map<string, string>();
const foldedKeptMax = 1_000;

function folded(tag: string): string {
  const kept = foldedKept.get(tag);
  if (kept !== undefined) return kept;
  const [primary = "", ...others] = tag.toLowerCase().replaceAll("_", "-").split("-");
  const one = [oneLanguage[primary] ?? primary, ...others].join("-");
  keepNewest(foldedKept, tag, one, foldedKeptMax);
  return one;
}
