import type { Conversation } from "@plenary/protocol";
import type { KnownLine } from "./history.ts";
import type { Begun } from "./part.ts";

/** What it knows of one conversation. */
export type LlmState = {
  /** The conversation as the newest invite had it: what comes with the very same one came along. */
  arrival: Conversation | undefined;
  /** By the invite. */
  told: KnownLine[];
  /** Kept only where nobody else keeps the log. */
  heard: KnownLine[];
  /** To the end of the history, begun to see whether to decline the invite. */
  begun: { id: string; answer: Begun } | undefined;
  answers: { count: number; lastAt: number };
};

export function newLlmState(): LlmState {
  return { arrival: undefined, told: [], heard: [], begun: undefined, answers: { count: 0, lastAt: 0 } };
}

const lineCharsMax = 32_768;

/** The newest stay. What an invite has told is known already, and by whom it was said. */
export function keepLine({ heard, told }: LlmState, line: KnownLine, utterancesMax: number): void {
  if (told.some(({ id }) => id === line.id)) return;
  heard.push({ ...line, text: line.text.slice(0, lineCharsMax) });
  if (heard.length > utterancesMax) heard.splice(0, heard.length - utterancesMax);
}
