// Which remembered utterances an answer may use: those that every recipient of the answer was entitled to read.

import { type Conversation, foldUri, isPrivate } from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";

export type Listeners = {
  /** The answer is whispered to the asker. */
  isPrivate: boolean;
  asker: string;
  /** The recipients, each with all names that the floor has for it. */
  names: readonly (readonly string[])[];
};

type Asked = { asker: string; isPrivate: boolean; conversation: Conversation };

/** `heardOf` replaces the list of conversants if the floor sends none. */
export function listenersTo(
  { asker, isPrivate, conversation }: Asked,
  self: string,
  heardOf: readonly string[],
): Listeners {
  if (isPrivate) return { isPrivate, asker, names: [[foldUri(asker)]] };
  const listed = conversation.conversants?.map(({ identification: { speakerUri, serviceUrl } }) => [
    speakerUri,
    serviceUrl,
  ]);
  const present = listed ?? heardOf.map((speakerUri) => [speakerUri]);
  const names = [[asker], ...present].map((one) => one.map(foldUri));
  return { isPrivate, asker, names: names.filter((one) => !one.includes(foldUri(self))) };
}

export type Tellable = {
  told: readonly Remembered[];
  /** Public utterances that the asker read, but not all recipients of the answer. */
  withheld: readonly Remembered[];
};

type Heard = Pick<Remembered, "sender" | "audience">;

/**
 * Our choice: a public answer uses only what all recipients read; a whispered answer what the asker read. A whisper is
 * repeated only in a whisper, and only to its parties.
 */
export function isTellable(heard: Heard, isWhisper: boolean, listeners: Listeners): boolean {
  if (isWhisper && !listeners.isPrivate) return false;
  const entitled = entitledTo(heard);
  return listeners.names.every((names) => names.some((name) => entitled.has(name)));
}

function entitledTo({ sender, audience = [] }: Heard): ReadonlySet<string> {
  return new Set([sender, ...audience].map(foldUri));
}

export function tellable(heard: readonly Remembered[], listeners: Listeners): Tellable {
  const told: Remembered[] = [];
  const withheld: Remembered[] = [];
  for (const one of heard) {
    const isWhisper = isPrivate(one.event);
    if (isTellable(one, isWhisper, listeners)) told.push(one);
    else if (!isWhisper && entitledTo(one).has(foldUri(listeners.asker))) withheld.push(one);
  }
  return { told, withheld };
}
