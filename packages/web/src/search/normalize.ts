const ascii = /^[\0-\x7f]*$/u;
const marks = /[\u0300-\u036f]/gu;

/** For comparison: "Élan" equals "elan". Meaningful marks of other scripts stay. */
export function normalized(text: string): string {
  const lower = text.toLowerCase();
  return ascii.test(lower) ? lower : lower.normalize("NFD").replace(marks, "");
}
