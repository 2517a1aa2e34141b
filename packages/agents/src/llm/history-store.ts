import { isPrivate } from "@plenary/protocol";
import type { Heard, Recall } from "@plenary/sdk";
import { listenersTo } from "../entitled.ts";
import { type AnswerRequest, resetCountForPerson } from "./answer-policy.ts";
import {
  type ConversationMemory,
  type HeardLine,
  type HistoryLine,
  keepLine,
  lineOf,
  presentIn,
  speakersIn,
  visibleHistory,
} from "./history.ts";
import type { HistoryMax } from "./settings.ts";

// What was said, kept and looked up again by whoever answers out of the history.

export type HistoryOptions = {
  speakerUri: string;
  /** Whoever keeps the log forgets what was erased; we would not. */
  recall: Recall | undefined;
  historyMax: HistoryMax;
  onError: (error: unknown) => void;
};

export function recordHeard(heard: Heard<ConversationMemory>, listener: HistoryOptions): void {
  const { event, sender, state, conversation } = heard;
  resetCountForPerson(heard);
  const audience = isPrivate(event) ? [] : presentIn(conversation, state.heard);
  const line = lineOf({ sender: sender.speakerUri, event, audience }, listener.speakerUri);
  if (listener.recall === undefined && line !== undefined) keepLine(state, line, listener.historyMax.utterances);
}

type RecordingContext = Pick<Heard<ConversationMemory>, "state" | "conversation">;

/** Its own words, to everyone or to the one who whispers with it. */
export function recordOwn(
  said: string,
  whisperer: string | undefined,
  scene: RecordingContext,
  listener: HistoryOptions,
): void {
  if (listener.recall !== undefined || said === "") return;
  const { state, conversation } = scene;
  const audience = whisperer === undefined ? presentIn(conversation, state.heard) : [whisperer];
  const id = crypto.randomUUID();
  const line = { id, speakerUri: listener.speakerUri, text: said, audience, ...whisperedWith(whisperer) };
  keepLine(state, line, listener.historyMax.utterances);
}

export function whisperedWith(whisperer: string | undefined): Pick<HistoryLine, "whisperWith"> {
  return whisperer === undefined ? {} : { whisperWith: whisperer };
}

/** What was said before the question, as far as all who hear the answer were entitled to it. */
export async function historyBefore(
  question: HistoryLine,
  { whisperer, asker, call }: AnswerRequest,
  scene: RecordingContext,
  listener: HistoryOptions,
): Promise<HistoryLine[]> {
  const { state, conversation } = scene;
  const lines = { told: state.inviteHistory, heard: await heardLines(scene, listener) };
  const asked = { asker: whisperer ?? asker, isPrivate: whisperer !== undefined, conversation };
  const listeners = listenersTo(asked, listener.speakerUri, speakersIn(lines.heard));
  return visibleHistory(lines, { id: question.id, listeners, isInvited: call === "invited" }, listener.historyMax);
}

/** Without the log, what is being answered is better answered without its history than not at all. */
async function heardLines(
  { conversation, state }: RecordingContext,
  listener: HistoryOptions,
): Promise<readonly HeardLine[]> {
  if (listener.recall === undefined) return state.heard;
  try {
    const remembered = await listener.recall(conversation.id, listener.speakerUri);
    return remembered.flatMap((one) => lineOf(one, listener.speakerUri) ?? []);
  } catch (error) {
    listener.onError(error);
    return [];
  }
}
