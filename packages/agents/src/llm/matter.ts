import { isSameUri } from "@plenary/protocol";
import type { HeardUtterance } from "@plenary/sdk";
import { heed, isPerson } from "../manners.ts";
import type { Known } from "./memory.ts";
import type { LlmPolicy } from "./settings.ts";

/** Something that wants an answer. */
export type Matter = {
  /** invited: it came along with the invite. */
  call: "called" | "open" | "invited";
  asker: string;
  isPerson: boolean;
  /** Who whispered it, and alone hears the answer. */
  whisperer?: string;
};

type Manners = { name: string; policy: LlmPolicy };

type Words = "event" | "isAddressed" | "dialogEvent" | "text" | "sender" | "conversation" | "state" | "say";

/** Undefined when silence is better. */
export function matterOf(heard: Pick<HeardUtterance<Known>, Words>, { name, policy }: Manners): Matter | undefined {
  const { state, conversation, dialogEvent, event, sender, text, say } = heard;
  if (text.trim() === "") return undefined;
  const isAlong = state.arrival === conversation;
  // What was said before the invite was said by whom the history names, and passed on by the sender.
  const asker = isAlong && event.to === undefined ? dialogEvent.speakerUri : sender.speakerUri;
  const { call, isPerson: isByPerson } = heed({ ...heard, sender: { ...sender, speakerUri: asker } }, name);
  // In 0.9 the whisper beside an invite is answered in front of everyone, so it is the answer that counts.
  const isWhispered = say("...").to?.private === true;
  const matter = { asker, isPerson: isByPerson, ...(isWhispered && { whisperer: sender.speakerUri }) };
  if (call === "called") return { ...matter, call: isAlong ? "invited" : "called" };
  // An agent that hands over its own words means us; what another agent said before was for others.
  const isTask = isAlong && (isByPerson ? call === "open" : isSameUri(asker, sender.speakerUri));
  if (isTask) return { ...matter, call: "invited" };
  if (call !== "open") return undefined;
  // Whom else could somebody mean who is alone with it?
  const isAlone = isByPerson && conversation.conversants?.length === 2;
  if (isAlone) return { ...matter, call: "called" };
  return policy === "open" ? { ...matter, call } : undefined;
}

/** Answers to agents, one after the other, without a person's word between them. */
const agentAnswersMax = 6;
/** Whoever goes round in circles does not wait for so long. */
const circleMs = 60_000;

/** Two models that call each other would never end (D17 bounds them too, where the floor does). */
export function mayAnswer(
  { isPerson: isByPerson }: Pick<Matter, "isPerson">,
  { answers }: Known,
  now: number,
): boolean {
  if (isByPerson || now - answers.lastAt > circleMs) answers.count = 0;
  if (answers.count >= agentAnswersMax) return false;
  if (!isByPerson) answers.count += 1;
  answers.lastAt = now;
  return true;
}

/** A person's word to anybody ends the count. */
export function noticePerson(
  speakerUri: string,
  { conversation, state }: Pick<HeardUtterance<Known>, "conversation" | "state">,
) {
  if (isPerson(speakerUri, conversation)) state.answers.count = 0;
}
