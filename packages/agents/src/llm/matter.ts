import { isSameUri } from "@plenary/protocol";
import type { HeardUtterance, SpeakerKind } from "@plenary/sdk";
import { heed } from "../addressing.ts";
import { mediaIn } from "../media.ts";
import type { Known } from "./memory.ts";
import type { LlmPolicy } from "./settings.ts";

/** Something that wants an answer. */
export type Matter = {
  /** invited: it came along with the invite. */
  call: "called" | "open" | "invited";
  asker: string;
  kind: SpeakerKind;
  /** Who whispered it, and alone hears the answer. */
  whisperer?: string;
};

type Manners = { name: string; policy: LlmPolicy };

type Words =
  | "event"
  | "isAddressed"
  | "isWithInvite"
  | "dialogEvent"
  | "text"
  | "sender"
  | "speakerUri"
  | "conversation";
type Asked = Pick<HeardUtterance<Known>, Words | "state" | "say" | "speakerKind">;

/** Undefined when silence is better. */
export function matterOf(heard: Asked, { name, policy }: Manners): Matter | undefined {
  const { state, conversation, dialogEvent, event, sender, text, say } = heard;
  if (text.trim() === "" && mediaIn(dialogEvent).length === 0) return undefined;
  const isAlong = state.arrival === conversation;
  // What was said before the invite was said by whom the history names, and passed on by the sender.
  const asker = isAlong && event.to === undefined ? dialogEvent.speakerUri : sender.speakerUri;
  // A floor that relays is the sender of everybody's words.
  const speakerUri = asker === sender.speakerUri ? heard.speakerUri : asker;
  const { call, isPerson: isByPerson } = heed({ ...heard, speakerUri }, name);
  // In 0.9 the whisper beside an invite is answered in front of everyone, so it is the answer that counts.
  const isWhispered = say("...").to?.private === true;
  const matter = { asker, kind: heard.speakerKind(speakerUri), ...(isWhispered && { whisperer: sender.speakerUri }) };
  if (call === "called") return { ...matter, call: isAlong ? "invited" : "called" };
  // An agent that hands over its own words means us; what another agent said before was for others.
  const isTask = isAlong && (isByPerson ? call === "open" : isSameUri(asker, sender.speakerUri));
  if (isTask) return { ...matter, call: "invited" };
  if (call !== "open") return undefined;
  return policy === "open" ? { ...matter, call } : undefined;
}

/** Answers one after the other, without the word of somebody who is surely a person between them. */
const answersMax: Record<SpeakerKind, number> = { agent: 6, unknown: 30, person: Number.POSITIVE_INFINITY };
/** Whoever goes round in circles does not wait for so long. */
const circleMs = 60_000;

/** Two models that call each other would never end (D17 bounds them too, where the floor does). */
export function mayAnswer(kind: SpeakerKind, { answers }: Known, now: number): boolean {
  if (kind === "person" || now - answers.lastAt > circleMs) answers.count = 0;
  if (answers.count >= answersMax[kind]) return false;
  if (kind !== "person") answers.count += 1;
  answers.lastAt = now;
  return true;
}

/** A person's word to anybody ends the count. */
export function noticePerson({
  speakerUri,
  speakerKind,
  state,
}: Pick<HeardUtterance<Known>, "speakerUri" | "speakerKind" | "state">) {
  if (speakerKind(speakerUri) === "person") state.answers.count = 0;
}
