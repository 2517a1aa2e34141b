import type { Conversant } from "../model/envelope.ts";
import type { FloorEvent } from "../model/event.ts";
import { canonicalAddress, isSameAddress, isSameUri } from "../uri/compare-uris.ts";

/** All names and addresses of one conversant. */
export type Names = {
  speakerUri: string;
  serviceUrl?: string;
  /** Other speakerUris, such as the one it was invited under. */
  aliases?: readonly string[];
  /** Other addresses, such as the one that a request was sent to. */
  addresses?: readonly string[];
};

/**
 * The addressee of an event, seen by one conversant. Without `to` it is for all recipients (spec 1.8). `conversants`: the
 * list in the envelope; an event that names another conversant of that list is for that one.
 */
export function address(event: FloorEvent, me: Names, conversants: readonly Conversant[] = []): "all" | "me" | "other" {
  const { to } = event;
  if (to === undefined) return "all";
  const { speakerUri, serviceUrl } = to;
  const known = knownNamesOf(me, conversants);
  if (speakerUri !== undefined) {
    if (isOwn(speakerUri, known)) return "me";
    // Spec 0.6: the speakerUri identifies, and several speakers may share one serviceUrl. Spec 1.12: not so in an invite.
    if (event.eventType !== "invite" && isAnother(speakerUri, known)) return "other";
    // Spec 1.17: at this address, but for another speaker.
    if (event.eventType === "getManifests") return "other";
  }
  return serviceUrl !== undefined && isOwnAddress(serviceUrl, known) ? "me" : "other";
}

/** True for a speakerUri of this conversant. Some floors name agents by address, or by `agent:` and the address. */
export function isOwnName(uri: string, me: Names, conversants: readonly Conversant[] = []): boolean {
  return isOwn(uri, knownNamesOf(me, conversants));
}

/** Spec 2.2: the private flag counts for utterances only. */
export function isPrivate(event: FloorEvent): boolean {
  return event.eventType === "utterance" && event.to?.private === true;
}

type KnownNames = { names: readonly string[]; addresses: readonly string[]; others: readonly Conversant[] };

/** A floor may list an agent under an invented speakerUri: if no conversant has our name, the only one at our address is us. */
function knownNamesOf(me: Names, conversants: readonly Conversant[]): KnownNames {
  const names = [me.speakerUri, ...(me.aliases ?? [])];
  const addresses = [...(me.serviceUrl === undefined ? [] : [me.serviceUrl]), ...(me.addresses ?? [])];
  const others = conversants.filter((one) => !names.some((name) => isSameUri(name, one.identification.speakerUri)));
  if (others.length < conversants.length) return { names, addresses, others };
  const places = addresses.map(withoutQuery);
  const here = others.filter(({ identification }) => places.includes(withoutQuery(identification.serviceUrl)));
  const [seat, another] = here;
  if (seat === undefined || another !== undefined) return { names, addresses, others };
  return { names: [...names, seat.identification.speakerUri], addresses, others: others.filter((one) => one !== seat) };
}

function isOwn(uri: string, known: KnownNames): boolean {
  if (known.names.some((name) => isSameUri(name, uri))) return true;
  return !isAnother(uri, known) && isOwnAddress(uri.replace(/^agent:(?=https?:\/\/)/iu, ""), known);
}

function isAnother(speakerUri: string, { others }: KnownNames): boolean {
  return others.some(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

/** The query does not count, unless it makes the address that of another conversant. */
function isOwnAddress(url: string, { addresses, others }: KnownNames): boolean {
  if (addresses.some((mine) => isSameAddress(mine, url))) return true;
  if (others.some(({ identification }) => isSameAddress(identification.serviceUrl, url))) return false;
  const place = withoutQuery(url);
  return addresses.some((mine) => withoutQuery(mine) === place);
}

function withoutQuery(url: string): string {
  return canonicalAddress(url.replace(/\?[^#]*/u, ""));
}
