import type { Transcript } from "../transcript.ts";

/** The first line of a conversation written as JSON lines; each line after it is one entry. */
export type JsonlHeader = {
  plenary: "conversation";
  version: 1;
  id: string;
  title?: string;
  /** The reader's speakerUri; absent in a public view and in a complete log. */
  readAs?: string;
  /** The whole log with whispers: only such a file can be imported. */
  isComplete?: true;
  /** The number of entries of a complete log, to detect a truncated file. */
  entries?: number;
};

export function jsonlHeader(about: Omit<JsonlHeader, "plenary" | "version">): JsonlHeader {
  return { plenary: "conversation", version: 1, ...about };
}

/** Characters that JSON does not escape and that would affect a terminal or the text direction. */
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A JSON value contains no raw line breaks, so it fits on one line. */
export function jsonlLine(value: object): string {
  return `${JSON.stringify(value).replace(steering, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

export function jsonlOf({ id, title, readAs, entries }: Transcript): string {
  const header = jsonlHeader({ id, ...(title !== undefined && { title }), ...(readAs !== undefined && { readAs }) });
  return [header, ...entries].map(jsonlLine).join("");
}
