import { isSameUri } from "@plenary/protocol";
import type { History, Said } from "./history.ts";
import { nameShown } from "./quote.ts";
import type { Part } from "./request.ts";
import { timeOf } from "./times.ts";
import { isMe } from "./understand.ts";

/** Those meant by a name; `problem` when the history knows nobody of that name. */
export type Meant = { speakers: readonly string[]; name: string } | { problem: string };

export function meantBy(written: string, { people, asker }: History): Meant {
  if (isMe(written)) return { speakers: [asker], name: "you" };
  const found = people.called(written);
  if (found.length === 0) return { problem: `I know nobody called ${nameShown(written)} here.` };
  const [first] = found;
  return { speakers: found.map(({ speakerUri }) => speakerUri), name: nameShown(first?.name ?? written) };
}

export function saidByAny(said: readonly Said[], speakers: readonly string[]): Said[] {
  return said.filter(({ speakerUri }) => speakers.some((one) => isSameUri(one, speakerUri)));
}

export type Selection = { said: readonly Said[]; words: string } | { problem: string };

/** The utterances that a part speaks of, and how to call them. */
export function selected(part: Part, history: History): Selection {
  const { nowMs } = history;
  let { said } = history;
  let words = "";
  if (part.speaker !== undefined) {
    const meant = meantBy(part.speaker, history);
    if ("problem" in meant) return meant;
    said = saidByAny(said, meant.speakers);
    words += ` of ${meant.name}`;
  }
  const { sinceMs, last } = part;
  if (sinceMs !== undefined) {
    said = said.filter(({ atMs }) => atMs >= sinceMs);
    words += ` since ${timeOf(new Date(Math.max(0, sinceMs)).toISOString(), nowMs)} UTC`;
  }
  if (last !== undefined) {
    said = last === 0 ? [] : said.slice(-last);
    words += `, the last ${said.length}`;
  }
  return { said, words };
}
