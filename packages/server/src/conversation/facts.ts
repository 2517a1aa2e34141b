import { hash } from "node:crypto";
import { type Entry, type Facts, type Floor, openDelivery, seatOf } from "@plenary/floor";
import { type DialogEvent, type Envelope, type FloorEvent, isPrivate, isSameAddress } from "@plenary/protocol";
import type { Binding, DedupeKey, FloorStore } from "../ports/store.ts";
import { currentName } from "./visibility.ts";
import { hasSameText, spokenIn } from "./whisper-match.ts";

type LookUp = {
  store: FloorStore;
  /** Whether this claim comes from an agent of this machine that restarted on another port. */
  isMove?: (claim: Binding, boundTo: string) => boolean;
};

/** Facts the core cannot know: which utterances are repeated, and which history an invitee may not see. */
export async function lookUp(context: LookUp, floor: Floor, envelope: Envelope, delivery?: string): Promise<Facts> {
  const { store } = context;
  const keys = dedupeKeys(floor, envelope);
  const facts = keys.length === 0 ? {} : knownAmong(keys, await store.seen(floor.id, keys));
  const claims = claimsIn(floor, envelope, delivery);
  const known = claims.length === 0 ? facts : { ...facts, ...(await elsewhere(context, claims)) };
  return { ...known, ...(await whispersIn(store, floor, envelope.events)) };
}

/** Pairs of speaker and address that an invite, or the answer to one, claims. */
function claimsIn(floor: Floor, { sender, events }: Envelope, delivery: string | undefined): Binding[] {
  const claims = events.flatMap(({ eventType, to }) => {
    if (eventType !== "invite" || to?.speakerUri === undefined || to.serviceUrl === undefined) return [];
    return [{ speakerUri: to.speakerUri, serviceUrl: to.serviceUrl }];
  });
  const open = delivery === undefined ? undefined : openDelivery(floor, delivery);
  const seat = seatOf(floor, open?.to ?? sender.speakerUri);
  if (seat?.state !== "invited") return claims;
  const { speakerUri, serviceUrl } = seat.identification;
  return [...claims, { speakerUri: sender.speakerUri, serviceUrl }, { speakerUri, serviceUrl }];
}

/** Speakers that joined from another address before, in any conversation of this floor. */
async function elsewhere(
  { store, isMove = () => false }: LookUp,
  claims: readonly Binding[],
): Promise<Pick<Facts, "boundElsewhere" | "moved">> {
  const bound = await store.boundTo(claims);
  const boundElsewhere: string[] = [];
  const moved: string[] = [];
  for (const [index, claim] of claims.entries()) {
    const before = bound[index];
    if (before === undefined || isSameAddress(before, claim.serviceUrl)) continue;
    (isMove(claim, before) ? moved : boundElsewhere).push(claim.speakerUri);
  }
  return { boundElsewhere, moved };
}

export type IndexedKey = DedupeKey & { index: number };

/** One key per utterance. The span is not part of the hash: where it is missing, each decoding makes up another. */
export function dedupeKeys(floor: Floor, { sender, events }: Pick<Envelope, "sender" | "events">): IndexedKey[] {
  const speaker = seatOf(floor, sender.speakerUri)?.identification.speakerUri ?? sender.speakerUri;
  return events.flatMap((event, index) => {
    if (event.eventType !== "utterance") return [];
    return [{ index, sender: speaker, dialogEventId: event.parameters.dialogEvent.id, hash: hashOf(event) }];
  });
}

/** Replaces the hash of an utterance that was erased before its import: any text with its id counts as a repetition. */
export const anyWords = "";

/** Cached, because a decision needs the hash twice. */
const hashes = new WeakMap<FloorEvent, string>();

function hashOf(event: FloorEvent & { eventType: "utterance" }): string {
  const known = hashes.get(event);
  if (known !== undefined) return known;
  const fresh = hash("sha256", JSON.stringify([event.to, event.parameters.dialogEvent.features]), "base64url");
  hashes.set(event, fresh);
  return fresh;
}

function knownAmong(keys: readonly IndexedKey[], known: readonly (readonly string[])[]): Facts {
  if (keys.length === 1 && known[0]?.length === 0) return {};
  const duplicates: number[] = [];
  const clashes: number[] = [];
  for (const [at, { index, dialogEventId, hash }] of keys.entries()) {
    const earlier = keys.slice(0, at).filter((key) => key.dialogEventId === dialogEventId);
    const before = [...(known[at] ?? []), ...earlier.map((key) => key.hash)];
    if (before.includes(hash) || before.includes(anyWords)) duplicates.push(index);
    else if (before.length > 0) clashes.push(index);
  }
  return { ...(duplicates.length > 0 && { duplicates }), ...(clashes.length > 0 && { clashes }) };
}

/** D16: history entries that are whispers in the log: all of them, and those the invitee took no part in. */
async function whispersIn(
  store: FloorStore,
  floor: Floor,
  events: readonly FloorEvent[],
): Promise<Pick<Facts, "withheld" | "whispered">> {
  const withheld: string[] = [];
  const whispered: string[] = [];
  for (const event of events) {
    if (event.eventType !== "invite") continue;
    const history = event.parameters?.dialogHistory ?? [];
    if (history.length === 0) continue;
    const found = await store.whispersLike(floor.id, history);
    const idsKeptFrom = (names: readonly string[]) =>
      history.filter((dialogEvent) => isSecret(dialogEvent, found, names)).map(({ id }) => id);
    withheld.push(...idsKeptFrom(namesOf(floor, event)));
    whispered.push(...idsKeptFrom([]));
  }
  return { ...(withheld.length > 0 && { withheld }), ...(whispered.length > 0 && { whispered }) };
}

function namesOf(floor: Floor, { to }: FloorEvent): string[] {
  const given = [to?.speakerUri, to?.serviceUrl].filter((name) => name !== undefined);
  return given.flatMap((name) => [name, currentName(floor, name)]);
}

function isSecret(dialogEvent: DialogEvent, found: readonly Entry[], names: readonly string[]): boolean {
  const sameId = found.filter((entry) => spokenIn(entry)?.id === dialogEvent.id);
  const matches = sameId.length > 0 ? sameId : found.filter((entry) => hasSameText(spokenIn(entry), dialogEvent));
  return matches.length > 0 && matches.every((entry) => !mayHear(entry, names));
}

function mayHear(entry: Entry, names: readonly string[]): boolean {
  if (entry.kind === "event" && !isPrivate(entry.event)) return true;
  return names.some((name) => entry.audience.includes(name));
}
