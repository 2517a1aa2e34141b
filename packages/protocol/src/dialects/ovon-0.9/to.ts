// Addressee. In 0.9 it is one string, an address, with `private` beside it; from 0.9.4 on it is an object with an identity,
// an address, or both, and `private` inside.
// Lost going down: the identity where the reader does not know who is at the address, the address where only the identity
// can be written, further keys. A `to` with an identity alone is sent to the address that goes with it, if known.
import * as Type from "typebox";
import { isRecord } from "../../is-record.ts";
import type { Envelope } from "../../model/envelope.ts";
import type { To } from "../../model/event.ts";
import { uri, uriPattern, urlPattern } from "../../model/patterns.ts";
import { stricter, yesOrNo } from "../../model/private-flag.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import { type Deviation, type Note, padded } from "../../repair/shape.ts";
import type { Peers, TranslationContext } from "../dialect.ts";
import { lose } from "../losses.ts";

const uriSyntax = new RegExp(uriPattern, "u");
const urlSyntax = new RegExp(urlPattern, "u");

export function isUri(text: string): boolean {
  return uriSyntax.test(text);
}

export function isUrl(text: string): boolean {
  return urlSyntax.test(text);
}

export const addresseeKeys = {
  // The text wants a URL, the schema a URI: a speaker without an address can only be named by URI.
  to: Type.Optional(uri("ovon-to", { essential: true, known: [padded("ovon-to")] })),
  private: Type.Optional(
    Type.Boolean({ note: { rule: "ovon-private", essential: true, otherwise: yesOrNo } satisfies Note }),
  ),
};

const isEmptyTo = (to: unknown): boolean =>
  to === null || (typeof to === "string" && to.trim() === "") || (Array.isArray(to) && to.length === 0);

const emptyTo: Deviation = {
  rule: "ovon-to",
  key: "to",
  says: "this says nothing (taken as absent)",
  is: (value) => isRecord(value) && isEmptyTo(value.to),
  repair: (value) => {
    const { to: _, ...rest } = value as Record<string, unknown>;
    return rest;
  },
};

const oneAddressee: Deviation = {
  rule: "ovon-to",
  key: "to",
  says: "this is a list of one",
  is: (value) => isRecord(value) && Array.isArray(value.to) && value.to.length === 1,
  repair: (value) => ({ ...(value as object), to: (value as { to: unknown[] }).to[0] }),
};

const addressIn = (to: Record<string, unknown>): unknown => to.serviceUrl ?? to.url ?? to.speakerUri;

// As Open Floor writes it.
const addresseeObject: Deviation = {
  rule: "ovon-to",
  key: "to",
  says: "this is an object",
  is: (value) => isRecord(value) && isRecord(value.to) && addressIn(value.to) !== undefined,
  repair: (value) => {
    const event = value as { to: Record<string, unknown>; private?: unknown };
    const isPrivate = stricter(event.private, event.to.private);
    return { ...event, to: addressIn(event.to), ...(isPrivate !== undefined && { private: isPrivate }) };
  },
};

export const looseAddressees: readonly Deviation[] = [emptyTo, oneAddressee, addresseeObject];

export function fromOvonTo(address: string, peers: Peers): To {
  if (!isUrl(address)) return { speakerUri: address };
  const speakerUri = peers.speakerUriOf(address);
  return { ...(speakerUri !== undefined && { speakerUri }), serviceUrl: address };
}

/** speakerUri -> address, from the caller's peers and the envelope's conversants. */
export type AddressBook = (speakerUri: string) => string | undefined;

export function addressBookOf(envelope: Envelope, peers: Peers): AddressBook {
  const listed = new Map<string, string>();
  for (const { identification } of envelope.conversation.conversants ?? []) {
    if (isUrl(identification.serviceUrl)) listed.set(identification.speakerUri, identification.serviceUrl);
  }
  return (speakerUri) => peers.serviceUrlOf(speakerUri) ?? listed.get(speakerUri);
}

/** Undefined only for a `to` without speakerUri and serviceUrl. */
export function toOvonTo(to: To, addressOf: AddressBook): string | undefined {
  if (to.serviceUrl !== undefined || to.speakerUri === undefined) return to.serviceUrl;
  return addressOf(to.speakerUri) ?? to.speakerUri;
}

/** Notes the fields that cannot be restored from the address. */
export function noteToLosses(to: To, address: string, at: JsonPath, { peers, losses }: TranslationContext): void {
  const back = fromOvonTo(address, peers);
  for (const key of ["speakerUri", "serviceUrl"] as const) {
    if (to[key] === back[key]) continue;
    const why =
      to[key] === undefined
        ? `0.9 names an addressee by one string, from which a ${key} is made up`
        : `0.9 names an addressee by one string, which does not tell its ${key}`;
    lose(losses, at, [key], why);
  }
  const { speakerUri: _, serviceUrl: __, private: ___, ...others } = to;
  for (const key of Object.keys(others)) lose(losses, at, [key], "in 0.9 the addressee is a string and has no keys");
}
