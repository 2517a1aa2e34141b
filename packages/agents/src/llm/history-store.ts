import { isPrivate } from "@plenary/protocol";
import type { HandlerInput, ReadHistory } from "@plenary/sdk";
import { audienceOf } from "../disclosure.ts";
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

export type HistoryOptions = {
  speakerUri: string;
  /** The floor's log. If there is one, the agent keeps nothing itself, so that erased utterances stay erased. */
  readHistory: ReadHistory | undefined;
  historyMax: HistoryMax;
  onError: (error: unknown) => void;
};

export function recordHeard(heard: HandlerInput<ConversationMemory>, listener: HistoryOptions): void {
  const { event, sender, state, conversation } = heard;
  resetCountForPerson(heard);
  const audience = isPrivate(event) ? [] : presentIn(conversation, state.heard);
  const line = lineOf({ sender: sender.speakerUri, event, audience }, listener.speakerUri);
  if (listener.readHistory === undefined && line !== undefined) keepLine(state, line, listener.historyMax.utterances);
}

type RecordingContext = Pick<HandlerInput<ConversationMemory>, "state" | "conversation">;

/** Records the agent's own answer, to everyone or to the whisperer. */
export function recordOwn(
  said: string,
  whisperer: string | undefined,
  scene: RecordingContext,
  listener: HistoryOptions,
): void {
  if (listener.readHistory !== undefined || said === "") return;
  const { state, conversation } = scene;
  const audience = whisperer === undefined ? presentIn(conversation, state.heard) : [whisperer];
  const id = crypto.randomUUID();
  const line = { id, speakerUri: listener.speakerUri, text: said, audience, ...whisperedWith(whisperer) };
  keepLine(state, line, listener.historyMax.utterances);
}

export function whisperedWith(whisperer: string | undefined): Pick<HistoryLine, "whisperWith"> {
  return whisperer === undefined ? {} : { whisperWith: whisperer };
}

/** The utterances before the question that all listeners of the answer were entitled to hear. */
export async function historyBefore(
  question: HistoryLine,
  { whisperer, asker, call }: AnswerRequest,
  scene: RecordingContext,
  listener: HistoryOptions,
): Promise<HistoryLine[]> {
  const { state, conversation } = scene;
  const lines = { inviteHistory: state.inviteHistory, heard: await heardLines(scene, listener) };
  const asked = { asker: whisperer ?? asker, isPrivate: whisperer !== undefined, conversation };
  const listeners = audienceOf(asked, listener.speakerUri, speakersIn(lines.heard));
  return visibleHistory(lines, { id: question.id, listeners, isInvited: call === "invited" }, listener.historyMax);
}

/** If the log cannot be read, the question is answered without a history. */
async function heardLines(
  { conversation, state }: RecordingContext,
  listener: HistoryOptions,
): Promise<readonly HeardLine[]> {
  if (listener.readHistory === undefined) return state.heard;
  try {
    const remembered = await listener.readHistory(conversation.id, listener.speakerUri);
    return remembered.flatMap((one) => lineOf(one, listener.speakerUri) ?? []);
  } catch (error) {
    listener.onError(error);
    return [];
  }
}
