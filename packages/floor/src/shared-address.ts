import type { OpenDelivery, Sharer } from "./floor.ts";

// Several speakers may be at one address, which is sent each event once. As with every move, no rule is known here.

export function together(before: readonly Sharer[] = [], more: readonly Sharer[]): readonly Sharer[] {
  const isAddressed = new Map([...before, ...more].map(({ to }) => [to, false]));
  for (const one of [...before, ...more]) if (one.isAddressed === true) isAddressed.set(one.to, true);
  return [...isAddressed].map(([to, is]): Sharer => (is ? { to, isAddressed: true } : { to }));
}

/** Nobody waits any longer for one that has left; others at its address may still answer what was sent to all of them. */
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

/** What was said to it before is no longer an invitation to speak. */
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
