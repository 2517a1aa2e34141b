// What must hold of a story, whatever broke.
import type { FloorSocketConstructor, Limits } from "@plenary/client";
import { expect } from "vitest";
import { token } from "../support/start-test-floor.ts";

export type Story = {
  id: string;
  heard: { seqs: number[]; words: string[] }[];
  said: (number | undefined)[][];
};

type Telling = {
  url: string;
  token: string;
  words: number;
  faults: number;
  fault: () => Promise<void>;
  limits: Partial<Limits>;
  WebSocket: FloorSocketConstructor | false;
};

/** The script of the story is plain JavaScript, so that every runtime reads it. */
const script: string = "./story.mjs";
export const { tell } = (await import(script)) as { tell: (telling: Telling) => Promise<Story> };

type LoggedEntry = { kind: string; seq: number; event?: { eventType: string; parameters?: object } };

/** Each reader got each entry once and in order, and the log has each word once, in the order of its speaker. */
export async function checkStory(url: string, { id, heard, said }: Story, words: number): Promise<void> {
  for (const { seqs } of heard) expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  const entries: LoggedEntry[] = [];
  for (let more = 1; more > 0; ) {
    const query = `after=${entries.at(-1)?.seq ?? 0}&limit=1000`;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api/v1/conversations/${id}/log?${query}`, { headers });
    const page = ((await answer.json()) as { entries: LoggedEntry[] }).entries;
    entries.push(...page);
    more = page.length;
  }
  const spoken = entries.filter(({ kind, event }) => kind === "event" && event?.eventType === "utterance");
  const logged = spoken.map(({ event }) => textIn(event?.parameters));
  const expected = (index: number) => Array.from({ length: words }, (_, number) => `${index} ${number}`);
  for (const index of [0, 1]) expect(logged.filter((text) => text.startsWith(`${index} `))).toEqual(expected(index));
  for (const one of heard) expect(one.words).toEqual(logged);
  // An acknowledgement names an entry that is there.
  for (const seq of said.flat()) expect(entries.some((entry) => entry.seq === seq)).toBe(true);
}

function textIn(parameters: unknown): string {
  const { dialogEvent } = parameters as {
    dialogEvent: { features: { text: { tokens: { value: string }[] } } };
  };
  return dialogEvent.features.text.tokens[0]?.value ?? "";
}
