// Which remembered utterances an answer may use: those that every recipient of the answer was entitled to read.

import { type Conversation, foldUri, isPrivate } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";

export type Audience = {
  /** The answer is whispered to the asker. */
  isPrivate: boolean;
  asker: string;
  /** The recipients, each with all names that the floor has for it. */
  names: readonly (readonly string[])[];
};

type Asked = { asker: string; isPrivate: boolean; conversation: Conversation };

/** `heardOf` replaces the list of conversants if the floor sends none. */
export function audienceOf(
  { asker, isPrivate, conversation }: Asked,
  self: string,
  heardOf: readonly string[],
): Audience {
  if (isPrivate) return { isPrivate, asker, names: [[foldUri(asker)]] };
  const listed = conversation.conversants?.map(({ identification: { speakerUri, serviceUrl } }) => [
    speakerUri,
    serviceUrl,
  ]);
  const present = listed ?? heardOf.map((speakerUri) => [speakerUri]);
  const names = [[asker], ...present].map((one) => one.map(foldUri));
  return { isPrivate, asker, names: names.filter((one) => !one.includes(foldUri(self))) };
}

export type UsableHistory = {
  usable: readonly HistoryEntry[];
  /** Public utterances that the asker read, but not all recipients of the answer. */
  withheld: readonly HistoryEntry[];
};

type ReadEvent = Pick<HistoryEntry, "sender" | "audience">;

/**
 * Our choice: a public answer uses only what all recipients read; a whispered answer what the asker read. A whisper is
 * repeated only in a whisper, and only to its parties.
 */
export function isUsableFor(entry: ReadEvent, isWhisper: boolean, audience: Audience): boolean {
  if (isWhisper && !audience.isPrivate) return false;
  const entitled = entitledTo(entry);
  return audience.names.every((names) => names.some((name) => entitled.has(name)));
}

function entitledTo({ sender, audience = [] }: ReadEvent): ReadonlySet<string> {
  return new Set([sender, ...audience].map(foldUri));
}

export function usableFor(history: readonly HistoryEntry[], audience: Audience): UsableHistory {
  const usable: HistoryEntry[] = [];
  const withheld: HistoryEntry[] = [];
  for (const one of history) {
    const isWhisper = isPrivate(one.event);
    if (isUsableFor(one, isWhisper, audience)) usable.push(one);
    else if (!isWhisper && entitledTo(one).has(foldUri(audience.asker))) withheld.push(one);
  }
  return { usable, withheld };
}
