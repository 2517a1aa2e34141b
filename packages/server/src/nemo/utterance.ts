import { hash } from "node:crypto";
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
import { isWebUrl } from "../routing/fields.ts";

/** What somebody says, before it has an envelope. */
export type OutgoingUtterance = { text: string; features: Record<string, Feature>; to?: string; isPrivate: boolean };

export type ClientMessage = Pick<UserMessage, "id" | "parts" | "to" | "isPrivate">;

/** An utterance carries so many media. */
const mediaMax = 6;

/** Throws the problem: nothing is said, or nobody here is meant. */
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
  const people = othersIn(floor, me);
  const target = to === undefined ? mentionedAtStart(text, people) : addresseeOf(to, floor, people);
  if (isPrivate && target === undefined) {
    throw new Problem("bad-request", {
      detail: "a private message has one recipient: name it in `to`",
      fix: whoIsThere(people),
    });
  }
  return { text, features: featuresOf(media), ...(target !== undefined && { to: target }), isPrivate };
}

const kinds = { text: "text", image_url: "image", input_audio: "audio", video_url: "video" } as const;

/** By name as everybody writes it: the first of two with one name is meant. */
function othersIn({ conversants }: Floor, me: string): Mentionable[] {
  return conversants.flatMap(({ identification: { speakerUri, conversationalName } }) =>
    speakerUri === me || conversationalName === "" ? [] : [{ speakerUri, name: conversationalName }],
  );
}

/** The only means of an unchanged client. Further on in a text a name is only a word. */
function mentionedAtStart(text: string, people: readonly Mentionable[]): string | undefined {
  const start = text.search(/\S/u);
  return text[start] === "@" ? namedAt(text, start + 1, people)?.speakerUri : undefined;
}

function addresseeOf(to: string, floor: Floor, people: readonly Mentionable[]): string {
  const byAddress = floor.conversants.find(({ identification }) => isSameUri(identification.serviceUrl, to));
  const participant = seatNamed(floor, to) ?? byAddress;
  const wanted = to.replace(/^@/u, "").trim().toLowerCase();
  const found =
    participant?.identification.speakerUri ?? people.find(({ name }) => name.toLowerCase() === wanted)?.speakerUri;
  if (found !== undefined) return found;
  throw new Problem("bad-request", { detail: "nobody here is the one that `to` names", fix: whoIsThere(people) });
}

const namesMax = 20;
const nameMax = 60;

function whoIsThere(people: readonly Mentionable[]): string {
  const names = people.slice(0, namesMax).map(({ name }) => JSON.stringify(name.slice(0, nameMax)));
  return names.length === 0 ? "nobody else is here yet" : `here are ${names.join(", ")}`;
}

/** By name: the second of one kind is "image-2". */
function featuresOf(media: readonly Part[]): Record<string, Feature> {
  const features: Record<string, Feature> = {};
  for (const part of media) {
    if (part.type === "text") continue;
    const kind = kinds[part.type];
    let name: string = kind;
    for (let count = 2; Object.hasOwn(features, name); count += 1) name = `${kind}-${count}`;
    features[name] = part.type === "input_audio" ? heard(part) : seen(kind, part.url);
  }
  return features;
}

function heard({ data, format }: Extract<Part, { type: "input_audio" }>): Feature {
  const mimeType = /^[\w.+-]{1,40}$/u.test(format) ? `audio/${format === "mp3" ? "mpeg" : format}` : "audio/wav";
  return { mimeType, tokens: [{ value: data.replace(/^data:[^,]*,/u, "") }] };
}

const dataUrl = /^data:([a-z]+\/[\w.+-]{1,60})(?:;[^;,]{0,100})*;base64,(.*)$/isu;

/** Inline data, or an address that the client may fetch. */
function seen(kind: "image" | "audio" | "video", url: string): Feature {
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

/** As text, because there is one way in for everybody's envelopes. */
export function envelopeText(conversationId: string, speakerUri: string, events: FloorEvent[]): string {
  const whole = envelope({ conversation: { id: conversationId }, sender: { speakerUri }, events });
  return JSON.stringify(encodeEnvelope(whole, "1.1", {}).document);
}

/** What clients that name nothing send. */
const unnamed = new Set(["", "default", "default_id"]);

/**
 * The same message is the same utterance, however often it is sent (D29). Undefined when it has no name of its own. The
 * words count with it: some clients give all their messages one name.
 */
export function utteranceId(speakerUri: string, conversationId: string, message: ClientMessage): string | undefined {
  const { id, parts, to, isPrivate } = message;
  if (unnamed.has(id)) return undefined;
  const all = JSON.stringify([speakerUri, conversationId, id, parts, to ?? null, isPrivate]);
  return `nemo-${hash("sha256", all, "base64url").slice(0, 22)}`;
}
