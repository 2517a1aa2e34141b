// The questions to the owner of a moderated floor, and the answers.
import {
  type EventOf,
  type Feature,
  isSameUri,
  interactionMimeType as mimeType,
  textOf,
  wordsOfValue,
} from "@plenary/protocol";
import { quoted, whisper } from "./events.ts";
import { conversantWith } from "./floor-view.ts";
import type { FloorView } from "./policy.ts";

export type PendingApproval = {
  /** The reply on a card names the question by it. */
  id: string;
  speakerUri: string;
  /** The utterance to approve; absent: a request for the floor. */
  utterance?: EventOf<"utterance">;
};

/** D31. The text repeats the choices, for clients that show no cards. */
export function questionTo(
  owner: string,
  { id, speakerUri, utterance }: PendingApproval,
  view: FloorView,
  count: number,
): EventOf<"utterance"> {
  const name = quoted(conversantWith(view, speakerUri)?.name ?? speakerUri, 60);
  const what =
    utterance === undefined
      ? "asks for the floor"
      : `wants to say: “${quoted(textOf(utterance.parameters.dialogEvent))}”`;
  const options = [
    { id: "yes", label: "Yes", value: "yes" },
    { id: "no", label: "No", value: "no" },
  ];
  const value = { id, input_type: "binary_choice", text: `${name} ${what}`, options };
  const interaction: Feature = { mimeType, tokens: [{ value }] };
  return whisper(view, count, { to: owner, text: `${name} ${what} (Yes, No)`, features: { interaction } });
}

export type OwnerAnswer = { pending: PendingApproval; isApproved: boolean };

export function ownerAnswerIn(
  event: EventOf<"utterance">,
  pending: readonly PendingApproval[],
  view: FloorView,
): OwnerAnswer | undefined {
  const { dialogEvent } = event.parameters;
  const reply = cardReplyIn(dialogEvent.features.interactionReply?.tokens[0]?.value);
  if (reply !== undefined) {
    const asked = pending.find(({ id }) => id === reply.id);
    const isApproved = isYes(reply.word);
    return asked && isApproved !== undefined ? { pending: asked, isApproved } : undefined;
  }
  // A public yes may be meant for another conversant.
  if (!isSameUri(event.to?.speakerUri ?? "", view.self)) return undefined;
  return spokenAnswerIn(textOf(dialogEvent), pending, view);
}

function cardReplyIn(value: unknown): { id: string; word: string } | undefined {
  if (typeof value !== "object" || value === null || !("id" in value) || !("values" in value)) return undefined;
  const { id, values } = value;
  if (typeof id !== "string" || !Array.isArray(values)) return undefined;
  return { id, word: wordsOfValue(values[0]) ?? "" };
}

const yes = new Set(["yes", "y", "ok", "okay", "sure", "granted", "ja", "oui", "si", "sí"]);
const no = new Set(["no", "n", "nope", "never", "denied", "nein", "non"]);

function isYes(word: string): boolean | undefined {
  const said = folded(word);
  return yes.has(said) ? true : no.has(said) ? false : undefined;
}

const folded = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{Z}\p{C}]+/gu, " ")
    .trim();

/** `yes`, `no, Ben`, `Ben`: without a name the oldest question is meant. */
function spokenAnswerIn(text: string, pending: readonly PendingApproval[], view: FloorView): OwnerAnswer | undefined {
  const said = folded(text.slice(0, 200));
  const [first = "", ...others] = said.split(" ");
  const isApproved = isYes(first);
  const name = isApproved === undefined ? said : others.join(" ");
  const asked =
    name === ""
      ? pending[0]
      : pending.find(({ speakerUri }) => folded(conversantWith(view, speakerUri)?.name ?? "") === name);
  return asked === undefined || said === "" ? undefined : { pending: asked, isApproved: isApproved ?? true };
}
