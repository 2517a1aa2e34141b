/** Chooses a plural form. The languages of the page need no other forms than these two. */
export function pluralIn(language: string) {
  const rules = new Intl.PluralRules(language);
  return (count: number, one: string, other: string): string => (rules.select(count) === "one" ? one : other);
}

/** Joins names as people say them: "Ann, Bob and Eve". */
export function listIn(language: string) {
  const format = new Intl.ListFormat(language, { type: "conjunction" });
  return (items: readonly string[]): string => format.format(items);
}

const shownMax = 3;
const shownBeforeMore = 2;

/** The names of a long list, cut to the first two; `more` says how many are left. */
export function shortList(
  names: readonly string[],
  list: (items: readonly string[]) => string,
  more: (count: number) => string,
): string {
  if (names.length <= shownMax) return list(names);
  return list([...names.slice(0, shownBeforeMore), more(names.length - shownBeforeMore)]);
}
