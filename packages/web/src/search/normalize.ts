const ascii = /^[\0-\x7f]*$/u;
const marks = /[\u0300-\u036f]/gu;

/** For comparing: "Élan" and "elan" are the same. Signs of other scripts that carry meaning stay. */
export function normalized(text: string): string {
  const lower = text.toLowerCase();
  return ascii.test(lower) ? lower : lower.normalize("NFD").replace(marks, "");
}
