import type { DeliveryFact, EventEntry, ForwardedEntry } from "../entry.ts";
import { type NextFloor, type OpenDelivery, openDelivery, type Seat, type Sharer } from "../floor.ts";

// The open deliveries of a floor. No rules here: every fact is in the entry.

export function openDeliveries(next: NextFloor, { deliveries, turn, depth: before, at, sender }: EventEntry): void {
  const depth = before + 1;
  next.open = withOpen(next.open, deliveries, { turn, depth, at, sender });
  const last = { turn, depth };
  const hearers = hearersOf(deliveries);
  next.conversants = next.conversants.map((one) =>
    hearers.has(one.identification.speakerUri) ? { ...one, last } : one,
  );
}

/** A person that has passed on events from other floors reads the log instead of deliveries. */
export function noteReaders(next: NextFloor, { audience, turn, depth, sender }: EventEntry): void {
  if (!next.conversants.some(passesOn)) return;
  const last = { turn, depth: depth + 1 };
  next.conversants = next.conversants.map((seat) => {
    const { speakerUri } = seat.identification;
    return passesOn(seat) && speakerUri !== sender && audience.includes(speakerUri) ? { ...seat, last } : seat;
  });
}

function passesOn({ kind, last }: Seat): boolean {
  return last !== undefined && kind === "person";
}

function hearersOf(deliveries: readonly DeliveryFact[]): Set<string> {
  const hearers = new Set<string>();
  for (const { to, also = [] } of deliveries) {
    hearers.add(to);
    for (const other of also) hearers.add(other.to);
  }
  return hearers;
}

type About = Pick<OpenDelivery, "turn" | "depth" | "at"> & { sender: string };

function withOpen(before: readonly OpenDelivery[], facts: readonly DeliveryFact[], about: About): OpenDelivery[] {
  const more = facts.some(({ isMore }) => isMore) ? new Map(facts.map((fact) => [fact.id, fact])) : undefined;
  const open = more === undefined ? before.slice() : before.map((one) => joined(one, more.get(one.id), about));
  const { turn, depth, at, sender } = about;
  for (const { id, to, isInvite = false, isAddressed = false, isMore, isAsked, whisperer, also } of facts) {
    if (isMore === true) continue;
    const one: OpenDelivery = { id, to, turn, depth, isInvite, isAddressed, isDelegation: false, at };
    if (whisperer !== undefined) one.whisperer = whisperer;
    if (isAsked === true) one.askedBy = sender;
    if (also !== undefined) one.also = also;
    open.push(one);
  }
  return open;
}

function joined(open: OpenDelivery, fact: DeliveryFact | undefined, { depth, sender }: About): OpenDelivery {
  if (fact === undefined) return open;
  return {
    ...open,
    depth: Math.max(open.depth, depth),
    isInvite: open.isInvite || fact.isInvite === true,
    isAddressed: open.isAddressed || fact.isAddressed === true,
    ...(fact.whisperer !== undefined && { whisperer: fact.whisperer }),
    ...(fact.isAsked === true && { askedBy: sender }),
    ...(fact.also !== undefined && { also: mergeSharers(open.also, fact.also) }),
  };
}

export function forward(next: NextFloor, { delivery, serviceUrl, turn, depth, asker, at }: ForwardedEntry): void {
  const { id, to } = delivery;
  const flags = { isInvite: false, isAddressed: false, isDelegation: false };
  const whisperer = delivery.whisperer ?? openDelivery(next, id)?.whisperer;
  const about = { asker, serviceUrl, ...(whisperer !== undefined && { whisperer }) };
  closeDeliveries(next, [id]);
  next.open = [...next.open, { id, to, turn, depth: depth + 1, ...flags, ...about, at }];
}

// Several speakers may share one address, which receives each event once.

export function mergeSharers(before: readonly Sharer[] = [], more: readonly Sharer[]): readonly Sharer[] {
  const isAddressed = new Map([...before, ...more].map(({ to }) => [to, false]));
  for (const one of [...before, ...more]) if (one.isAddressed === true) isAddressed.set(one.to, true);
  return [...isAddressed].map(([to, is]): Sharer => (is ? { to, isAddressed: true } : { to }));
}

/** Closes the deliveries to a conversant that has left. Others at its address may still answer a shared delivery. */
export function withoutRecipient(open: readonly OpenDelivery[], speakerUri: string): OpenDelivery[] {
  return open.flatMap((one) => {
    const { to, asker, also = [] } = one;
    if (asker === speakerUri) return [];
    const gone: Sharer = { to: speakerUri, isGone: true };
    if (to !== speakerUri) {
      const isSharer = also.some((other) => other.to === speakerUri);
      return [isSharer ? { ...one, also: also.map((other) => (other.to === speakerUri ? gone : other)) } : one];
    }
    const heir = also.find(({ isGone }) => isGone !== true);
    if (heir === undefined || one.isInvite || one.isDelegation) return [];
    const { askedBy: _, ...rest } = one;
    const others = [...also.filter((other) => other !== heir), gone];
    return [{ ...rest, to: heir.to, isAddressed: heir.isAddressed === true, also: others }];
  });
}

/** Earlier utterances no longer entitle it to answer without the floor. */
export function withoutAddressee(open: readonly OpenDelivery[], speakerUri: string): OpenDelivery[] {
  return open.map((one) => {
    const { to, also } = one;
    if (to === speakerUri) return one.isAddressed ? { ...one, isAddressed: false } : one;
    if (also?.some((other) => other.to === speakerUri && other.isAddressed === true) !== true) return one;
    return { ...one, also: also.map((other) => (other.to === speakerUri ? { to: speakerUri } : other)) };
  });
}

export function isAddressedSharer({ also = [] }: OpenDelivery, speakerUri: string): boolean {
  return also.some((one) => one.to === speakerUri && one.isAddressed === true);
}

/** These deliveries no longer wait for an answer. */
export function closeDeliveries(next: NextFloor, deliveries: readonly string[]): void {
  if (deliveries.length > 0) next.open = next.open.filter(({ id }) => !deliveries.includes(id));
}
