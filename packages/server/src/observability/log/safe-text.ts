import { redact } from "@plenary/sdk";

/** Of a string before redaction. */
const redactedCharsMax = 8_192;
export const cut = "…";
export const unreadable = "[unreadable]";

/** A getter or a proxy may throw. */
export function attempt<T>(run: () => T): T | string {
  try {
    return run();
  } catch {
    return unreadable;
  }
}

/** A redacted text of limited length. */
export function textOf(value: unknown, charsMax: number): string {
  const whole = attempt(() => String(value));
  // The last word of a cut text may be a credential whose mark was cut off, such as the @ of an address.
  const text =
    whole.length > redactedCharsMax ? `${whole.slice(0, redactedCharsMax).replace(/\S+$/u, "")}${cut}` : whole;
  const redacted = redact(text);
  return redacted.length > charsMax ? `${redacted.slice(0, charsMax)}${cut}` : redacted;
}
