import cities from "city-timezones";
import { DateTime, FixedOffsetZone, IANAZone } from "luxon";
import { abbreviations, otherCityNames, otherCountryNames } from "./place-words.ts";

/** `where` reads on in a sentence: `in Tokyo`, `Central European time`. */
export type Place = { zone: string; label: string; where: string; isLand?: true };
/** A land with several times: one city for each of them, the largest first. */
export type Land = { label: string; cities: readonly Place[] };

type City = (typeof cities.cityMapping)[number];

/** Smaller ones only with their land: their names are often words. */
const populationMin = 5_000;
/** With less of a land's people another time does not make it a land of several times; where there are, more are named. */
const otherShareMin = 0.06;
const shareMin = 0.02;
const citiesMax = 5;
/** Who is so many times larger is meant, and needs no land beside its name. */
const knownTimes = 30;

const index = indexed();

export function placeNamed(name: string, now: Date): Place | Land | undefined {
  const key = fold(name);
  const abbreviation = abbreviations.get(key.replace(/ time$/u, "")) ?? abbreviations.get(key);
  if (abbreviation !== undefined) return { ...abbreviation, where: abbreviation.label };
  const named = offsetNamed(name) ?? zoneNamed(name.trim());
  if (named !== undefined) return named;
  const plain = key.replace(/ (?:standard |summer )?time$/u, "");
  return landNamed(plain, now) ?? cityNamed(plain) ?? regionNamed(plain, now);
}

function offsetNamed(name: string): Place | undefined {
  const found =
    /^\s*(?:(?:utc|gmt|z|zulu)\s*(?:([+-]|−)\s*(\d{1,2})(?::?(\d{2}))?)?|([+-])(\d{1,2}):?(\d{2})?)(?:\s*time)?\s*$/iu.exec(
      name,
    );
  if (found === null) return undefined;
  const [, sign = found[4], hours = found[5] ?? "0", minutes = found[6] ?? "0"] = found;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === undefined || sign === "+" ? 1 : -1);
  return Math.abs(offset) > 14 * 60 ? undefined : offsetPlace(offset);
}

export function offsetPlace(minutes: number): Place {
  const { name } = FixedOffsetZone.instance(minutes);
  return { zone: name, label: name, where: name };
}

function zoneNamed(name: string): Place | undefined {
  if (!/^[A-Za-z]+(?:\/[A-Za-z0-9_+-]+){1,2}$/u.test(name) || !IANAZone.isValidZone(name)) return undefined;
  const zone = new IANAZone(name).name;
  return { zone, label: zone, where: `in ${zone}` };
}

function landNamed(key: string, now: Date): Place | Land | undefined {
  const country = otherCountryNames.get(key) ?? key;
  const found = index.byCountry.get(country);
  return found === undefined ? undefined : landOf(countryLabel(found[0]?.country ?? ""), found, now);
}

function regionNamed(key: string, now: Date): Place | Land | undefined {
  const found = index.byProvince.get(key);
  return found === undefined ? undefined : landOf(found[0]?.province ?? "", found, now);
}

/** One place when (almost) everybody there has the same time now. */
function landOf(label: string, found: readonly City[], now: Date): Place | Land | undefined {
  const total = found.reduce((sum, { pop }) => sum + pop, 0);
  const byOffset = new Map<number, City[]>();
  for (const city of found) {
    const { offset } = DateTime.fromJSDate(now, { zone: city.timezone });
    byOffset.set(offset, [...(byOffset.get(offset) ?? []), city]);
  }
  const groups = [...byOffset.values()]
    .map((group) => ({ first: group[0], pop: group.reduce((sum, { pop }) => sum + pop, 0) }))
    .filter(({ pop }) => pop >= total * shareMin)
    .sort((one, other) => other.pop - one.pop);
  const largest = groups[0]?.first;
  if (largest === undefined) return undefined;
  if ((groups[1]?.pop ?? 0) < total * otherShareMin)
    return { zone: largest.timezone, label, where: `in ${label}`, isLand: true };
  return {
    label,
    cities: groups.slice(0, citiesMax).flatMap(({ first }) => (first ? [placeOf(first, first.city)] : [])),
  };
}

/** `Springfield`, `London Ontario`, `Paris, Texas`: the most populous of all that fit. */
function cityNamed(key: string): Place | undefined {
  const whole = index.byCity.get(otherCityNames.get(key) ?? key)?.filter(({ pop }) => pop >= populationMin) ?? [];
  const [largest, ...others] = whole;
  if (largest !== undefined) {
    const isAmbiguous = others.some(
      ({ timezone, pop }) => timezone !== largest.timezone && pop * knownTimes > largest.pop,
    );
    return placeOf(largest, isAmbiguous ? labelWithLand(largest) : largest.city);
  }
  const words = key.split(" ");
  for (let at = words.length - 1; at > 0; at -= 1) {
    const land = words.slice(at).join(" ");
    const city = words.slice(0, at).join(" ");
    const found = index.byCity.get(otherCityNames.get(city) ?? city)?.find((one) => isIn(one, land));
    if (found !== undefined) return placeOf(found, labelWithLand(found));
  }
  return undefined;
}

function isIn({ country, province, iso2, iso3, state_ansi }: City, land: string): boolean {
  const names = [country, province, iso2, iso3, state_ansi].map((name) => fold(name ?? ""));
  return names.includes(otherCountryNames.get(land) ?? land);
}

function placeOf({ timezone }: City, label: string): Place {
  return { zone: timezone, label, where: `in ${label}` };
}

const landsOfStates: readonly string[] = ["USA", "CAN", "AUS"];

function labelWithLand({ city, province, country, iso3 }: City): string {
  const state = landsOfStates.includes(iso3) && province !== "" ? `${province}, ` : "";
  return `${city} (${state}${countryLabel(country).replace(/^the /u, "")})`;
}

function countryLabel(country: string): string {
  const plain = country.replace(/ of America$| S\.A\.R\.?$| \(Holy Sea\)$/u, "").replace(/^The /u, "the ");
  return /^(?:United (?:States|Kingdom|Arab)|Netherlands|Philippines|Czech|Dominican R|Maldives|Central)/u.test(plain)
    ? `the ${plain}`
    : plain;
}

function indexed() {
  const byCity = new Map<string, City[]>();
  const byCountry = new Map<string, City[]>();
  const byProvince = new Map<string, City[]>();
  const put = (map: Map<string, City[]>, key: string, city: City) => {
    if (key !== "") map.set(key, [...(map.get(key) ?? []), city]);
  };
  // Some have no zone in the list.
  const known = cities.cityMapping.filter(({ timezone }) => timezone);
  for (const city of known.toSorted((one, other) => other.pop - one.pop)) {
    for (const name of new Set([fold(city.city), fold(city.city_ascii)])) put(byCity, name, city);
    put(byCountry, fold(city.country), city);
    put(byProvince, fold(city.province ?? ""), city);
  }
  return { byCity, byCountry, byProvince };
}

/** Case, accents, hyphens, commas and articles aside. */
function fold(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/\p{M}|[.'’]/gu, "")
    .replaceAll(/[-_,\s]+/gu, " ")
    .toLowerCase()
    .trim()
    .replace(/^the /u, "")
    .replaceAll(/\bsaint\b/gu, "st");
}
