import type { Transcript } from "../transcript.ts";

/** The first line of a conversation written as JSON lines; each line after it is one entry. */
export type JsonlHeader = {
  plenary: "conversation";
  version: 1;
  id: string;
  title?: string;
  /** Whose view it is; without it and not complete: what everybody may read. */
  readAs?: string;
  /** The log as it is kept, whispers included: only such a one can be read into a store again. */
  isComplete?: true;
  /** How many of a complete log there are: an end that is missing is seen by it. */
  entries?: number;
};

export function jsonlHeader(about: Omit<JsonlHeader, "plenary" | "version">): JsonlHeader {
  return { plenary: "conversation", version: 1, ...about };
}

/** What JSON leaves as it is and a terminal, or whoever reads it there, would be steered by. */
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** JSON has no raw line ends within a value, so a value is a line. */
export function jsonlLine(value: object): string {
  return `${JSON.stringify(value).replace(steering, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

export function jsonlOf({ id, title, readAs, entries }: Transcript): string {
  const header = jsonlHeader({ id, ...(title !== undefined && { title }), ...(readAs !== undefined && { readAs }) });
  return [header, ...entries].map(jsonlLine).join("");
}
