import type { DeliveryFact, EventEntry, ForwardedEntry } from "./entry.ts";
import { type OpenDelivery, openDelivery, type Seat } from "./floor.ts";
import { type Next, settle } from "./moves.ts";
import { together } from "./shared-address.ts";

// The deliveries whose answers are open, as entries tell of them. As with every move, no rule is known here.

export function openDeliveries(next: Next, { deliveries, turn, depth: before, at, sender }: EventEntry): void {
  const depth = before + 1;
  next.open = withOpen(next.open, deliveries, { turn, depth, at, sender });
  const last = { turn, depth };
  const hearers = hearersOf(deliveries);
  next.conversants = next.conversants.map((one) =>
    hearers.has(one.identification.speakerUri) ? { ...one, last } : one,
  );
}

/** A person's seat that has passed on events from elsewhere reads the log in place of deliveries. */
export function noteReaders(next: Next, { audience, turn, depth, sender }: EventEntry): void {
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
    ...(fact.also !== undefined && { also: together(open.also, fact.also) }),
  };
}

export function forward(next: Next, { delivery, serviceUrl, turn, depth, asker, at }: ForwardedEntry): void {
  const { id, to } = delivery;
  const flags = { isInvite: false, isAddressed: false, isDelegation: false };
  const whisperer = delivery.whisperer ?? openDelivery(next, id)?.whisperer;
  const about = { asker, serviceUrl, ...(whisperer !== undefined && { whisperer }) };
  settle(next, [id]);
  next.open = [...next.open, { id, to, turn, depth: depth + 1, ...flags, ...about, at }];
}
