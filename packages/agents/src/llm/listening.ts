// What was said, kept and looked up again by whoever answers out of the history.

import { isPrivate } from "@plenary/protocol";
import type { Heard, Recall } from "@plenary/sdk";
import { listenersTo } from "../disclosure.ts";
import { historyFor, type KnownLine, type Line, lineOf, presentIn, voicesIn } from "./history.ts";
import { type Matter, noticePerson } from "./matter.ts";
import { type Known, keepLine } from "./memory.ts";
import type { HistoryMax } from "./settings.ts";

export type Listener = {
  speakerUri: string;
  /** Whoever keeps the log forgets what was erased; we would not. */
  recall: Recall | undefined;
  historyMax: HistoryMax;
  onError: (error: unknown) => void;
};

export function hear(heard: Heard<Known>, listener: Listener): void {
  const { event, sender, state, conversation } = heard;
  noticePerson(heard);
  const audience = isPrivate(event) ? [] : presentIn(conversation, state.heard);
  const line = lineOf({ sender: sender.speakerUri, event, audience }, listener.speakerUri);
  if (listener.recall === undefined && line !== undefined) keepLine(state, line, listener.historyMax.utterances);
}

type Scene = Pick<Heard<Known>, "state" | "conversation">;

/** Its own words, to everyone or to the one who whispers with it. */
export function keepOwn(said: string, whisperer: string | undefined, scene: Scene, listener: Listener): void {
  if (listener.recall !== undefined || said === "") return;
  const { state, conversation } = scene;
  const audience = whisperer === undefined ? presentIn(conversation, state.heard) : [whisperer];
  const id = crypto.randomUUID();
  const line = { id, speakerUri: listener.speakerUri, text: said, audience, ...whisperedWith(whisperer) };
  keepLine(state, line, listener.historyMax.utterances);
}

export function whisperedWith(whisperer: string | undefined): Pick<Line, "whisperWith"> {
  return whisperer === undefined ? {} : { whisperWith: whisperer };
}

/** What was said before the question, as far as all who hear the answer were entitled to it. */
export async function historyBefore(
  question: Line,
  { whisperer, asker, call }: Matter,
  scene: Scene,
  listener: Listener,
): Promise<Line[]> {
  const { state, conversation } = scene;
  const lines = { told: state.told, heard: await linesHeard(scene, listener) };
  const asked = { asker: whisperer ?? asker, isPrivate: whisperer !== undefined, conversation };
  const listeners = listenersTo(asked, listener.speakerUri, voicesIn(lines.heard));
  return historyFor(lines, { id: question.id, listeners, isInvited: call === "invited" }, listener.historyMax);
}

/** Without the log, what is being answered is better answered without its history than not at all. */
async function linesHeard({ conversation, state }: Scene, listener: Listener): Promise<readonly KnownLine[]> {
  if (listener.recall === undefined) return state.heard;
  try {
    const remembered = await listener.recall(conversation.id, listener.speakerUri);
    return remembered.flatMap((one) => lineOf(one, listener.speakerUri) ?? []);
  } catch (error) {
    listener.onError(error);
    return [];
  }
}
