import { setTimeout as pause } from "node:timers/promises";

/** The text as somebody would say it, in about so many milliseconds. */
export async function* wordByWord(text: string, lastsMs: number, signal: AbortSignal): AsyncGenerator<string> {
  const words = text.match(/\S+\s*/gu) ?? [];
  for (const word of words) {
    await pause(lastsMs / words.length, undefined, { signal });
    yield word;
  }
}
