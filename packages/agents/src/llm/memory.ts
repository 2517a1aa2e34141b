import type { Conversation } from "@plenary/protocol";
import type { KnownLine } from "./history.ts";
import type { Begun } from "./part.ts";

/** What is known of one conversation by whoever answers out of its history. */
export type Known = {
  /** The conversation as the newest invite had it: what comes with the very same one came along. */
  arrival: Conversation | undefined;
  /** By the invite. */
  told: KnownLine[];
  /** Kept only where nobody else keeps the log. */
  heard: KnownLine[];
  answers: { count: number; lastAt: number };
};

export type LlmState = Known & {
  /** To the end of the history, begun to see whether to decline the invite. */
  begun: { id: string; answer: Begun } | undefined;
};

export function newKnown(): Known {
  return { arrival: undefined, told: [], heard: [], answers: { count: 0, lastAt: 0 } };
}

const lineCharsMax = 32_768;

/** The newest stay. What an invite has told is known already, and by whom it was said. */
export function keepLine({ heard, told }: Known, line: KnownLine, utterancesMax: number): void {
  if (told.some(({ id }) => id === line.id)) return;
  heard.push({ ...line, text: line.text.slice(0, lineCharsMax) });
  if (heard.length > utterancesMax) heard.splice(0, heard.length - utterancesMax);
}
