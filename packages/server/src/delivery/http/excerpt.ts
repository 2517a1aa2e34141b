import { type FloorEvent, isRecord } from "@plenary/protocol";
import { atMost, type Clock } from "../../ports/clock.ts";
import type { DialResponse } from "../../ports/dialler.ts";
import type { OutboundMessage } from "../../ports/outbound.ts";

/** The sent message and its body. */
export type SentRequest = { message: OutboundMessage; body: string };

const bytesMax = 4_096;
const charsMax = 200;
/** A body that takes longer is ignored: the status is enough. */
const waitMs = 1_000;

/**
 * An excerpt of the error message of a peer, for people. It may quote the request, so there is no excerpt for a private
 * request, nor one that repeats words of an utterance.
 */
export async function excerptOf(
  response: DialResponse,
  { message, body }: SentRequest,
  clock: Clock,
): Promise<string | undefined> {
  const { events } = message.envelope;
  if (events.some(isSecret) || statePattern.test(body)) return undefined;
  const text = cleaned(messageIn(await beginningOf(response, clock)));
  return text === "" || repeats(text, events.flatMap(wordsIn)) ? undefined : text;
}

/** Only the sender and the invitee know the history of an invite (D16). */
function isSecret(event: FloorEvent): boolean {
  if (event.to?.private === true) return true;
  return event.eventType === "invite" && event.parameters?.dialogHistory !== undefined;
}

/** Only 0.9 and 1.0 peers see the persistent state (D19). */
const statePattern = /"persistentState":(?!\{\}|\[\]|null)/u;

async function beginningOf({ body, headers }: DialResponse, clock: Clock): Promise<string> {
  if ((headers.get("content-encoding") ?? "identity") !== "identity") return "";
  const decoder = new TextDecoder();
  let text = "";
  const read = async () => {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
      if (bytes >= bytesMax) break;
    }
  };
  // A connection that breaks here has already sent its status.
  await atMost(clock, waitMs, read());
  return text;
}

/** The message of a JSON problem, a common error object, an HTML page, or the text itself. */
function messageIn(text: string): string {
  try {
    return messageOf(JSON.parse(text)) ?? text;
  } catch {
    return /^\s*</u.test(text) ? text.replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gisu, " ") : text;
  }
}

const keys = ["detail", "message", "error", "title", "errors", "msg", "reason"];

function messageOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    const all = value.flatMap((one) => messageOf(one) ?? []);
    return all.length === 0 ? undefined : all.join("; ");
  }
  if (!isRecord(value)) return undefined;
  const message = keys.map((key) => messageOf(value[key])).find((one) => one !== undefined && one !== "");
  // The location, as in {"loc": ["body", "name"], "msg": "field required"}.
  const location = Array.isArray(value.loc) ? `${value.loc.join(".")}: ` : "";
  return message === undefined ? undefined : `${location}${message}`;
}

/** One line without control or direction characters. A space after `@` keeps a word from being read as a reason token. */
function cleaned(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").replace(/@(?=\w)/gu, "@ ");
  return [...line.trim()].slice(0, charsMax).join("").trim();
}

/** Every text in an utterance. */
function wordsIn(event: FloorEvent): string[] {
  return event.eventType === "utterance" ? textsIn(event.parameters.dialogEvent.features) : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Whether the two share a word. */
function repeats(text: string, utterances: readonly string[]): boolean {
  const [textLower, utterancesLower] = [text.toLowerCase(), utterances.join(" ").toLowerCase()];
  const words = (given: string) => given.match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  return (
    words(textLower).some((word) => utterancesLower.includes(word)) ||
    words(utterancesLower).some((word) => textLower.includes(word))
  );
}
