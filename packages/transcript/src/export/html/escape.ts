import { momentIn } from "../document.ts";
import { plain } from "../plain-text.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Any words as words, in text and in attributes. */
export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/gu, (mark) => entities[mark] ?? "");
}

/** A time stamp for people. */
export function titled(at: string | undefined): string {
  const { day, time } = momentIn(at ?? "");
  return `${day} ${time}`.trim();
}
