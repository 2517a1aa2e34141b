import { hash } from "node:crypto";
import { type Entry, type Facts, type Floor, openDelivery, seatOf } from "@plenary/floor";
import { type DialogEvent, type Envelope, type FloorEvent, isPrivate, isSameAddress } from "@plenary/protocol";
import type { Binding, DedupeKey, FloorStore } from "../ports/store.ts";
import { currentName } from "./conversation-view.ts";
import { isSaying, spokenIn } from "./whisper-match.ts";

type LookUp = {
  store: FloorStore;
  /** Whether this claim is an agent of this machine that was started on another port. */
  isMove?: (claim: Binding, boundTo: string) => boolean;
};

/** What the core cannot know: which utterances are not new, and what an invitee may not be shown. */
export async function lookUp(shell: LookUp, floor: Floor, envelope: Envelope, delivery?: string): Promise<Facts> {
  const { store } = shell;
  const keys = dedupeKeys(floor, envelope);
  const facts = keys.length === 0 ? {} : knownAmong(keys, await store.seen(floor.id, keys));
  const claims = claimsIn(floor, envelope, delivery);
  const known = claims.length === 0 ? facts : { ...facts, ...(await elsewhere(shell, claims)) };
  return { ...known, ...(await whispersIn(store, floor, envelope.events)) };
}

/** Who is said to be where: by an invite, or by the answer to one. */
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

/** Those who joined before from another address, here or in any other conversation of this floor. */
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

/** One key per utterance. The span is left out: where it was missing, each reading makes up another. */
export function dedupeKeys(floor: Floor, { sender, events }: Pick<Envelope, "sender" | "events">): IndexedKey[] {
  const speaker = seatOf(floor, sender.speakerUri)?.identification.speakerUri ?? sender.speakerUri;
  return events.flatMap((event, index) => {
    if (event.eventType !== "utterance") return [];
    return [{ index, sender: speaker, dialogEventId: event.parameters.dialogEvent.id, hash: hashOf(event) }];
  });
}

/** Stands for the hash of what was erased before this floor knew it: its name is all that is left. */
export const anyWords = "";

/** Asked for before a decision and after it. */
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

/** D16: whispers of our log, and those to which the invitee was no party. Public entries, and those our log does not know, stay. */
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
  const alike = sameId.length > 0 ? sameId : found.filter((entry) => isSaying(spokenIn(entry), dialogEvent));
  return alike.length > 0 && alike.every((entry) => !mayHear(entry, names));
}

function mayHear(entry: Entry, names: readonly string[]): boolean {
  if (entry.kind === "event" && !isPrivate(entry.event)) return true;
  return names.some((name) => entry.audience.includes(name));
}
