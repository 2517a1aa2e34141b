import { type Conversation, isSameUri } from "@plenary/protocol";
import type { SpeakerKind, UtteranceInput } from "@plenary/sdk";
import { addressingOf } from "../addressing.ts";
import { mediaIn } from "../media.ts";
import type { LlmPolicy } from "./settings.ts";

/** An utterance that the agent should answer. */
export type AnswerRequest = {
  /** invited: the utterance came with the invite. */
  call: "called" | "open" | "invited";
  asker: string;
  kind: SpeakerKind;
  /** The sender of a whisper, who alone gets the answer. */
  whisperer?: string;
};

/** What the policy keeps of one conversation. */
export type AnswerMemory = {
  /** The conversation object of the newest invite. Events with the same object came in the same envelope. */
  arrival: Conversation | undefined;
  answers: { count: number; lastAt: number };
};

export function greetingOf({ name, policy }: AnswerManners): string {
  return `Hello, I am ${name}. ${policy === "open" ? "Ask me anything." : `Write @${name} or whisper to me, and I answer.`}`;
}

type AnswerManners = { name: string; policy: LlmPolicy };

type Words =
  | "event"
  | "isAddressed"
  | "isWithInvite"
  | "dialogEvent"
  | "text"
  | "sender"
  | "speakerUri"
  | "conversation";
type IncomingUtterance = Pick<UtteranceInput<AnswerMemory>, Words | "state" | "say" | "speakerKind">;

/** Returns undefined when the agent should stay silent. */
export function answerRequestFor(heard: IncomingUtterance, { name, policy }: AnswerManners): AnswerRequest | undefined {
  const { state, conversation, dialogEvent, event, sender, text, say } = heard;
  if (text.trim() === "" && mediaIn(dialogEvent).length === 0) return undefined;
  const isAlong = state.arrival === conversation;
  // The history names the speaker of an earlier utterance; the sender of the invite only passes it on.
  const asker = isAlong && event.to === undefined ? dialogEvent.speakerUri : sender.speakerUri;
  // A floor that relays is the sender of all utterances.
  const speakerUri = asker === sender.speakerUri ? heard.speakerUri : asker;
  const { call, isPerson: isByPerson } = addressingOf({ ...heard, speakerUri }, name);
  // In 0.9 a whisper beside an invite gets a public answer, so the answer decides whether this is private.
  const isWhispered = say("...").to?.private === true;
  const request = { asker, kind: heard.speakerKind(speakerUri), ...(isWhispered && { whisperer: sender.speakerUri }) };
  if (call === "called") return { ...request, call: isAlong ? "invited" : "called" };
  // An agent that invites with its own utterance means us; an earlier utterance of another agent was for others.
  const isTask = isAlong && (isByPerson ? call === "open" : isSameUri(asker, sender.speakerUri));
  if (isTask) return { ...request, call: "invited" };
  if (call !== "open") return undefined;
  return policy === "open" ? { ...request, call } : undefined;
}

/** The maximum of answers in a row without an utterance of a speaker that is certainly a person. */
const answersMax: Record<SpeakerKind, number> = { agent: 6, unknown: 30, person: Number.POSITIVE_INFINITY };
/** After such a pause the count starts again: a loop does not pause for so long. */
const loopMs = 60_000;

/** Two models that call each other would never end (D17 bounds them too, where the floor does). */
export function mayAnswer(kind: SpeakerKind, { answers }: AnswerMemory, now: number): boolean {
  if (kind === "person" || now - answers.lastAt > loopMs) answers.count = 0;
  if (answers.count >= answersMax[kind]) return false;
  if (kind !== "person") answers.count += 1;
  answers.lastAt = now;
  return true;
}

/** An utterance of a person, to any conversant, resets the count. */
export function resetCountForPerson({
  speakerUri,
  speakerKind,
  state,
}: Pick<UtteranceInput<AnswerMemory>, "speakerUri" | "speakerKind" | "state">) {
  if (speakerKind(speakerUri) === "person") state.answers.count = 0;
}
