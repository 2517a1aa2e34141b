// Speaker. Up to Dialog Event 1.0.1 a speaker has any id, from 1.0.2 on a URI. An id that is no URI is wrapped into one that
// is reserved for this, and unwrapped on the way back. An id that is a known peer's address becomes that peer's speakerUri.
// Lost going down: a speakerUri that equals the address of a peer with another name.
import type { JsonPath } from "../../repair/json-path.ts";
import type { Peers, TranslationContext } from "../dialect.ts";
import { lose } from "../losses.ts";
import { isUri, isUrl } from "./to.ts";

const wrapping = "tag:plenary.invalid,2024:speaker/";
const wrappedId = /^(?:[A-Za-z0-9\-_.!~*'()]|%[0-9A-F]{2})+$/u;

export function fromSpeakerId(speakerId: string, peers: Peers): string {
  if (!isUri(speakerId)) return wrapped(speakerId);
  return (isUrl(speakerId) ? peers.speakerUriOf(speakerId) : undefined) ?? speakerId;
}

export function toSpeakerId(speakerUri: string): string {
  const speakerId = speakerUri.startsWith(wrapping) ? unwrapped(speakerUri.slice(wrapping.length)) : undefined;
  return speakerId !== undefined && !isUri(speakerId) && wrapped(speakerId) === speakerUri ? speakerId : speakerUri;
}

/** The same, and notes the loss where it is read back as another speakerUri. */
export function speakerIdFor(speakerUri: string, at: JsonPath, { peers, losses }: TranslationContext): string {
  const speakerId = toSpeakerId(speakerUri);
  if (fromSpeakerId(speakerId, peers) !== speakerUri) {
    lose(losses, at, ["speakerUri"], "0.9 takes this for the address of a peer with another speakerUri");
  }
  return speakerId;
}

function wrapped(speakerId: string): string {
  // encodeURIComponent throws on half a surrogate pair.
  return wrapping + encodeURIComponent(speakerId.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

function unwrapped(text: string): string | undefined {
  if (!wrappedId.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
