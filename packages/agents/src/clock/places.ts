import cities from "city-timezones";
import { DateTime, FixedOffsetZone, IANAZone } from "luxon";

/** The place of a person, as far as the clock knows it. */
export type Home = {
  zone: string;
  label: string;
  /** stated: by the person. offset: in the time of the utterance. machine: nothing is known, so it is the clock's own zone. */
  known: "stated" | "offset" | "machine";
};

/** `where` continues a sentence: `in Tokyo`, `Central European time`. */
export type Place = { zone: string; label: string; where: string; isRegion?: true };
/** A country or state with several times: one city for each of them, the largest first. */
export type Region = { label: string; cities: readonly Place[] };

type City = (typeof cities.cityMapping)[number];

/** Smaller cities are found only together with their country, because their names are often ordinary words. */
const populationMin = 5_000;
/** A second time counts only with this share of the population; if one does, times with `shareMin` are listed too. */
const otherShareMin = 0.06;
const shareMin = 0.02;
const citiesMax = 5;
/** A city so many times larger than its namesakes is meant, and is named without its country. */
const dominanceFactor = 30;

const index = indexed();

export function placeNamed(name: string, now: Date): Place | Region | undefined {
  const key = fold(name);
  const abbreviation = abbreviations.get(key.replace(/ time$/u, "")) ?? abbreviations.get(key);
  if (abbreviation !== undefined) return { ...abbreviation, where: abbreviation.label };
  const named = offsetNamed(name) ?? zoneNamed(name.trim());
  if (named !== undefined) return named;
  const plain = key.replace(/ (?:standard |summer )?time$/u, "");
  return countryNamed(plain, now) ?? cityNamed(plain) ?? provinceNamed(plain, now);
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

function countryNamed(key: string, now: Date): Place | Region | undefined {
  const country = otherCountryNames.get(key) ?? key;
  const found = index.byCountry.get(country);
  return found === undefined ? undefined : regionOf(countryLabel(found[0]?.country ?? ""), found, now);
}

function provinceNamed(key: string, now: Date): Place | Region | undefined {
  const found = index.byProvince.get(key);
  return found === undefined ? undefined : regionOf(found[0]?.province ?? "", found, now);
}

/** One place when almost all people there have the same time now. */
function regionOf(label: string, found: readonly City[], now: Date): Place | Region | undefined {
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
    return { zone: largest.timezone, label, where: `in ${label}`, isRegion: true };
  return {
    label,
    cities: groups.slice(0, citiesMax).flatMap(({ first }) => (first ? [placeOf(first, first.city)] : [])),
  };
}

/** `Springfield`, `London Ontario`, `Paris, Texas`: the most populous city that fits. */
function cityNamed(key: string): Place | undefined {
  const whole = index.byCity.get(otherCityNames.get(key) ?? key)?.filter(({ pop }) => pop >= populationMin) ?? [];
  const [largest, ...others] = whole;
  if (largest !== undefined) {
    const isAmbiguous = others.some(
      ({ timezone, pop }) => timezone !== largest.timezone && pop * dominanceFactor > largest.pop,
    );
    return placeOf(largest, isAmbiguous ? labelWithRegion(largest) : largest.city);
  }
  const words = key.split(" ");
  for (let at = words.length - 1; at > 0; at -= 1) {
    const land = words.slice(at).join(" ");
    const city = words.slice(0, at).join(" ");
    const found = index.byCity.get(otherCityNames.get(city) ?? city)?.find((one) => isIn(one, land));
    if (found !== undefined) return placeOf(found, labelWithRegion(found));
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

const countriesWithStates: readonly string[] = ["USA", "CAN", "AUS"];

function labelWithRegion({ city, province, country, iso3 }: City): string {
  const state = countriesWithStates.includes(iso3) && province !== "" ? `${province}, ` : "";
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
  // Some cities of the list have no zone.
  const known = cities.cityMapping.filter(({ timezone }) => timezone);
  for (const city of known.toSorted((one, other) => other.pop - one.pop)) {
    for (const name of new Set([fold(city.city), fold(city.city_ascii)])) put(byCity, name, city);
    put(byCountry, fold(city.country), city);
    put(byProvince, fold(city.province ?? ""), city);
  }
  return { byCity, byCountry, byProvince };
}

/** Ignores case, accents, hyphens, commas and articles. */
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

// Names of places and zones that the list of cities does not have, in the form that `fold` returns.

/** Each stands for a region, not an offset: CET in July means the local time of Berlin. */
const abbreviations = new Map<string, { zone: string; label: string }>(
  Object.entries({
    "cet cest met mez mesz": ["Europe/Berlin", "Central European time"],
    "eet eest": ["Europe/Athens", "Eastern European time"],
    "wet west": ["Europe/Lisbon", "Western European time"],
    bst: ["Europe/London", "British time"],
    msk: ["Europe/Moscow", "Moscow time"],
    "et est edt|eastern": ["America/New_York", "Eastern time (New York)"],
    "ct cst cdt|central": ["America/Chicago", "Central time (Chicago)"],
    "mt mst mdt|mountain": ["America/Denver", "Mountain time (Denver)"],
    "pt pst pdt|pacific": ["America/Los_Angeles", "Pacific time (Los Angeles)"],
    "akst akdt": ["America/Anchorage", "Alaska time"],
    hst: ["Pacific/Honolulu", "Hawaii time"],
    "ast adt": ["America/Halifax", "Atlantic time (Halifax)"],
    "nst ndt": ["America/St_Johns", "Newfoundland time"],
    brt: ["America/Sao_Paulo", "Brasília time"],
    art: ["America/Argentina/Buenos_Aires", "Argentina time"],
    ist: ["Asia/Kolkata", "India time"],
    pkt: ["Asia/Karachi", "Pakistan time"],
    gst: ["Asia/Dubai", "Gulf time"],
    jst: ["Asia/Tokyo", "Japan time"],
    kst: ["Asia/Seoul", "Korea time"],
    sgt: ["Asia/Singapore", "Singapore time"],
    hkt: ["Asia/Hong_Kong", "Hong Kong time"],
    wib: ["Asia/Jakarta", "Western Indonesian time"],
    ict: ["Asia/Bangkok", "Indochina time"],
    "aest aedt": ["Australia/Sydney", "Eastern Australian time (Sydney)"],
    "acst acdt": ["Australia/Adelaide", "Central Australian time"],
    awst: ["Australia/Perth", "Western Australian time"],
    "nzst nzdt nzt": ["Pacific/Auckland", "New Zealand time"],
    sast: ["Africa/Johannesburg", "South African time"],
    eat: ["Africa/Nairobi", "East African time"],
  }).flatMap(([names, [zone = "", label = ""]]) =>
    names.split(/[ |]/u).map((name) => [name, { zone, label }] as const),
  ),
);

const otherCityNames = new Map<string, string>([
  ["nyc", "new york"],
  ["new york city", "new york"],
  ["la", "los angeles"],
  ["sf", "san francisco"],
  ["dc", "washington dc"],
  ["washington", "washington dc"],
  ["st petersburg russia", "st petersburg"],
  ["koln", "cologne"],
  ["munchen", "munich"],
  ["wien", "vienna"],
  ["genf", "geneva"],
  ["kiev", "kyiv"],
  ["bangalore", "bengaluru"],
  ["calcutta", "kolkata"],
  ["bombay", "mumbai"],
  ["peking", "beijing"],
  ["tokio", "tokyo"],
  ["saigon", "ho chi minh city"],
  ["tel aviv", "tel aviv yafo"],
  ["gothenburg", "goteborg"],
  ["nuremberg", "nurnberg"],
  ["hanover", "hannover"],
  ["antwerp", "antwerpen"],
  ["bruges", "brugge"],
]);

const otherCountryNames = new Map<string, string>([
  ...["us", "usa", "united states", "america", "states"].map((name) => [name, "united states of america"] as const),
  ...["uk", "great britain", "britain", "england", "scotland", "wales", "northern ireland"].map(
    (name) => [name, "united kingdom"] as const,
  ),
  ["uae", "united arab emirates"],
  ["emirates", "united arab emirates"],
  ["holland", "netherlands"],
  ["czechia", "czech republic"],
  ["korea", "south korea"],
  ["burma", "myanmar"],
  ["turkiye", "turkey"],
  ["north macedonia", "macedonia"],
  ["eswatini", "swaziland"],
  ["vatican", "vatican (holy sea)"],
  ["vatican city", "vatican (holy sea)"],
  ["cabo verde", "cape verde"],
  ["timor leste", "east timor"],
]);
