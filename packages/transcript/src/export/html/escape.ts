import { momentIn } from "../document.ts";
import { plain } from "../plain-text.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML content and attributes. */
export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/gu, (mark) => entities[mark] ?? "");
}

/** A readable time stamp. */
export function titled(at: string | undefined): string {
  const { day, time } = momentIn(at ?? "");
  return `${day} ${time}`.trim();
}
