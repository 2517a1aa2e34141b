// What the owner is asked, and what the owner answers.
import { type EventOf, type Feature, isSameUri, interactionMimeType as mimeType, textOf } from "@plenary/protocol";
import { quoted, whisper } from "./events.ts";
import { conversantNamed } from "./floor-view.ts";
import type { Sight } from "./policy.ts";

export type Pending = {
  /** By which the answer names the question. */
  id: string;
  speakerUri: string;
  /** What it wants to say; absent, it wants the floor. */
  said?: EventOf<"utterance">;
};

/** D31. The choices stand in the words too, for whoever sees no card. */
export function questionTo(
  owner: string,
  { id, speakerUri, said }: Pending,
  sight: Sight,
  count: number,
): EventOf<"utterance"> {
  const name = quoted(conversantNamed(sight, speakerUri)?.name ?? speakerUri, 60);
  const what =
    said === undefined ? "asks for the floor" : `wants to say: “${quoted(textOf(said.parameters.dialogEvent))}”`;
  const options = [
    { id: "yes", label: "Yes", value: "yes" },
    { id: "no", label: "No", value: "no" },
  ];
  const value = { id, input_type: "binary_choice", text: `${name} ${what}`, options };
  const interaction: Feature = { mimeType, tokens: [{ value }] };
  return whisper(sight, count, { to: owner, text: `${name} ${what} (Yes, No)`, features: { interaction } });
}

export type Verdict = { pending: Pending; isGranted: boolean };

export function verdictIn(event: EventOf<"utterance">, pending: readonly Pending[], sight: Sight): Verdict | undefined {
  const { dialogEvent } = event.parameters;
  const reply = replyIn(dialogEvent.features.interactionReply?.tokens[0]?.value);
  if (reply !== undefined) {
    const asked = pending.find(({ id }) => id === reply.id);
    const isGranted = isYes(reply.word);
    return asked && isGranted !== undefined ? { pending: asked, isGranted } : undefined;
  }
  // Said to everyone, a yes may be meant for anybody.
  if (!isSameUri(event.to?.speakerUri ?? "", sight.self)) return undefined;
  return spokenIn(textOf(dialogEvent), pending, sight);
}

function replyIn(value: unknown): { id: string; word: string } | undefined {
  if (typeof value !== "object" || value === null || !("id" in value) || !("values" in value)) return undefined;
  const { id, values } = value;
  if (typeof id !== "string" || !Array.isArray(values)) return undefined;
  return { id, word: String(values[0] ?? "") };
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

/** `yes`, `no, Ben`, `Ben`: without a name the one who waits for longest is meant. */
function spokenIn(text: string, pending: readonly Pending[], sight: Sight): Verdict | undefined {
  const said = folded(text.slice(0, 200));
  const [first = "", ...others] = said.split(" ");
  const isGranted = isYes(first);
  const name = isGranted === undefined ? said : others.join(" ");
  const asked =
    name === ""
      ? pending[0]
      : pending.find(({ speakerUri }) => folded(conversantNamed(sight, speakerUri)?.name ?? "") === name);
  return asked === undefined || said === "" ? undefined : { pending: asked, isGranted: isGranted ?? true };
}
