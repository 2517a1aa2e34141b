import { isRecord } from "../is-record.ts";
import type { Deviation, NamedSender } from "../repair/shape.ts";
import { isSameUri } from "../uri/compare-uris.ts";

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** The sender of an unparsed envelope, and which of its manifests are the sender's. */
export function senderOf(content: unknown): NamedSender | undefined {
  if (!isRecord(content) || !isRecord(content.sender)) return undefined;
  const { speakerUri, serviceUrl } = content.sender;
  if (typeof speakerUri !== "string" || speakerUri.trim() === "") return undefined;
  const own = new WeakSet<object>();
  for (const event of Array.isArray(content.events) ? content.events : []) {
    if (isRecord(event) && isRecord(event.parameters)) noteOwn(event.parameters, serviceUrl, own);
  }
  return { speakerUri, own };
}

/** A manifest at the sender's address is its own, and so is the only one of an answer. Recommendations have a score. */
function noteOwn(parameters: Record<string, unknown>, serviceUrl: unknown, own: WeakSet<object>): void {
  const { manifest, servicingManifests = manifest, discoveryManifests } = parameters;
  const listed = Array.isArray(servicingManifests) ? servicingManifests : [servicingManifests];
  const isAlone = listed.length === 1 && (!Array.isArray(discoveryManifests) || discoveryManifests.length === 0);
  for (const one of listed) {
    if (!isRecord(one) || !isRecord(one.identification)) continue;
    const { identification, score } = one;
    if ((isAlone && score === undefined) || isAddress(identification.serviceUrl, serviceUrl)) own.add(identification);
  }
}

function isAddress(one: unknown, other: unknown): boolean {
  return typeof one === "string" && typeof other === "string" && isSameUri(one, other);
}

export const ownManifest: Deviation = {
  rule: "identification-speaker-uri",
  key: "speakerUri",
  says: "it is missing (the manifest is the sender's)",
  is: (value, { sender }) => isRecord(value) && isAbsent(value.speakerUri) && sender?.own.has(value) === true,
  repair: (value, { sender }) => ({ ...(value as object), speakerUri: sender?.speakerUri }),
};

export const ownUtterance: Deviation = {
  rule: "dialog-event-speaker-uri",
  says: "it is missing (the sender said it)",
  is: (value, { sender }) => isAbsent(value) && sender !== undefined,
  repair: (_value, { sender }) => sender?.speakerUri,
};
