import { hash } from "node:crypto";
import { isWebUrl } from "@plenary/api";
import { type Floor, seatNamed } from "@plenary/floor";
import { type Part, textOfParts, type UserMessage } from "@plenary/nemo";
import {
  type EventOf,
  encodeEnvelope,
  envelope,
  type Feature,
  type FloorEvent,
  isSameUri,
  textUtterance,
} from "@plenary/protocol";
import { type Mentionable, namedAt } from "@plenary/transcript";
import { Problem } from "../errors.ts";

/** An utterance before it has an envelope. */
export type OutgoingUtterance = { text: string; features: Record<string, Feature>; to?: string; isPrivate: boolean };

export type ClientMessage = Pick<UserMessage, "id" | "parts" | "to" | "isPrivate">;

/** Media in one utterance. */
const mediaMax = 6;

/** Throws the problem: the message is empty, or its recipient is unknown. */
export function outgoingUtterance(
  { parts, to, isPrivate }: Pick<ClientMessage, "parts" | "to" | "isPrivate">,
  floor: Floor,
  me: string,
): OutgoingUtterance {
  const media = parts.filter((part) => part.type !== "text");
  if (media.length > mediaMax) {
    throw new Problem("bad-request", { detail: `a message has at most ${mediaMax} images, sounds and videos` });
  }
  const written = textOfParts(parts);
  // Spec 1.10: an utterance always has a text to verbalize.
  const text = written.trim() === "" ? media.map((part) => `[${kinds[part.type]}]`).join(" ") : written;
  if (text === "") {
    const fix = "send the user's words as {type: text, text: ...}";
    throw new Problem("bad-request", { detail: "the last message of the user says nothing", fix });
  }
  const others = othersIn(floor, me);
  const target = to === undefined ? mentionedAtStart(text, others) : addresseeOf(to, floor, others);
  if (isPrivate && target === undefined) {
    throw new Problem("bad-request", {
      detail: "a private message has one recipient: name it in `to`",
      fix: presentNames(others),
    });
  }
  return { text, features: featuresOf(media), ...(target !== undefined && { to: target }), isPrivate };
}

const kinds = { text: "text", image_url: "image", input_audio: "audio", video_url: "video" } as const;

/** The other conversants with a name. Of two with one name, the first is meant. */
function othersIn({ conversants }: Floor, me: string): Mentionable[] {
  return conversants.flatMap(({ identification: { speakerUri, conversationalName } }) =>
    speakerUri === me || conversationalName === "" ? [] : [{ speakerUri, name: conversationalName }],
  );
}

/** The stock client can address only by `@name` at the start of the text. Later in the text, a name is a plain word. */
function mentionedAtStart(text: string, others: readonly Mentionable[]): string | undefined {
  const start = text.search(/\S/u);
  return text[start] === "@" ? namedAt(text, start + 1, others)?.speakerUri : undefined;
}

function addresseeOf(to: string, floor: Floor, others: readonly Mentionable[]): string {
  const byAddress = floor.conversants.find(({ identification }) => isSameUri(identification.serviceUrl, to));
  const participant = seatNamed(floor, to) ?? byAddress;
  const wanted = to.replace(/^@/u, "").trim().toLowerCase();
  const found =
    participant?.identification.speakerUri ?? others.find(({ name }) => name.toLowerCase() === wanted)?.speakerUri;
  if (found !== undefined) return found;
  throw new Problem("bad-request", {
    detail: "`to` names no conversant of this conversation",
    fix: presentNames(others),
  });
}

const namesMax = 20;
const nameMax = 60;

function presentNames(others: readonly Mentionable[]): string {
  const names = others.slice(0, namesMax).map(({ name }) => JSON.stringify(name.slice(0, nameMax)));
  return names.length === 0 ? "no other conversant is here yet" : `here are ${names.join(", ")}`;
}

/** Feature names: the second image is "image-2". */
function featuresOf(media: readonly Part[]): Record<string, Feature> {
  const features: Record<string, Feature> = {};
  for (const part of media) {
    if (part.type === "text") continue;
    const kind = kinds[part.type];
    let name: string = kind;
    for (let count = 2; Object.hasOwn(features, name); count += 1) name = `${kind}-${count}`;
    features[name] = part.type === "input_audio" ? audioFeature(part) : mediaFeature(kind, part.url);
  }
  return features;
}

function audioFeature({ data, format }: Extract<Part, { type: "input_audio" }>): Feature {
  const mimeType = /^[\w.+-]{1,40}$/u.test(format) ? `audio/${format === "mp3" ? "mpeg" : format}` : "audio/wav";
  return { mimeType, tokens: [{ value: data.replace(/^data:[^,]*,/u, "") }] };
}

const dataUrl = /^data:([a-z]+\/[\w.+-]{1,60})(?:;[^;,]{0,100})*;base64,(.*)$/isu;

/** Inline data, or an address that the client may fetch. */
function mediaFeature(kind: "image" | "audio" | "video", url: string): Feature {
  const [, mimeType = "", value = ""] = dataUrl.exec(url) ?? [];
  if (mimeType.toLowerCase().startsWith(`${kind}/`)) {
    return { mimeType: mimeType.toLowerCase(), tokens: [{ value }] };
  }
  if (isWebUrl(url)) return { mimeType: `${kind}/*`, tokens: [{ valueUrl: url }] };
  const detail = `the ${kind} is neither a data: URL of that kind nor an http or https address`;
  throw new Problem("bad-request", { detail, fix: `for example data:${kind}/...;base64,...` });
}

type UtteranceHead = { speakerUri: string; id: string; startTime: string };

export function utteranceOf(
  { text, features, to, isPrivate }: OutgoingUtterance,
  signed: UtteranceHead,
): EventOf<"utterance"> {
  return textUtterance(text, {
    ...signed,
    features,
    ...(to !== undefined && { to: { speakerUri: to } }),
    ...(isPrivate && { private: true }),
  });
}

/** As text, because the receiver parses every envelope in the same way. */
export function envelopeText(conversationId: string, speakerUri: string, events: FloorEvent[]): string {
  const whole = envelope({ conversation: { id: conversationId }, sender: { speakerUri }, events });
  return JSON.stringify(encodeEnvelope(whole, "1.1", {}).document);
}

/** Ids that clients send for all messages. */
const unnamed = new Set(["", "default", "default_id"]);

/**
 * The same message has the same utterance id each time it is sent (D29). Undefined when the message has no id of its own.
 * The text is part of the hash, because some clients use one id for all messages.
 */
export function utteranceId(speakerUri: string, conversationId: string, message: ClientMessage): string | undefined {
  const { id, parts, to, isPrivate } = message;
  if (unnamed.has(id)) return undefined;
  const all = JSON.stringify([speakerUri, conversationId, id, parts, to ?? null, isPrivate]);
  return `nemo-${hash("sha256", all, "base64url").slice(0, 22)}`;
}
