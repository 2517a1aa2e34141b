import type { Entry, EventEntry } from "../entry.ts";
import type { Floor } from "../floor.ts";

/** The conversants and who has the floor, by the text of section 2.2 only. */
export type SpecModel = {
  learn: (entry: Entry) => void;
  /** Where the floor differs from the model. */
  differences: (floor: Floor) => string[];
};

export function createSpecModel(): SpecModel {
  const conversants = new Set<string>();
  const floorGranted = new Set<string>();

  function add(speakerUri: string): void {
    conversants.add(speakerUri);
    floorGranted.add(speakerUri);
  }

  function remove(speakerUri: string): void {
    conversants.delete(speakerUri);
    floorGranted.delete(speakerUri);
  }

  function learnEvent({ event, sender, target, isNotice }: EventEntry): void {
    switch (event.eventType) {
      case "invite":
        if (target !== undefined) add(target);
        return;
      case "bye":
      case "declineInvite":
        remove(sender);
        return;
      case "uninvite":
        if (target !== undefined) remove(target);
        return;
      case "yieldFloor":
        floorGranted.delete(sender);
        return;
      case "revokeFloor":
        if (target !== undefined && isNotice !== true) floorGranted.delete(target);
        return;
      case "grantFloor":
        if (target !== undefined) floorGranted.add(target);
        return;
      default:
        return;
    }
  }

  function learn(entry: Entry): void {
    if (entry.kind === "event") learnEvent(entry);
    else if (entry.kind === "opened" && entry.owner !== undefined) add(entry.owner.identification.speakerUri);
    else if (entry.kind === "seated" && entry.isGranted === true) add(entry.seat.identification.speakerUri);
    else if (entry.kind === "renamed") {
      const hadFloor = floorGranted.has(entry.from);
      remove(entry.from);
      conversants.add(entry.to);
      if (hadFloor) floorGranted.add(entry.to);
    }
  }

  return {
    learn,
    differences(floor) {
      const here = floor.conversants.map((seat) => seat.identification.speakerUri);
      return [
        ...compare("is here", conversants, here),
        ...compare("has the floor", floorGranted, [...floor.floorGranted]),
      ];
    },
  };
}

function compare(what: string, expected: ReadonlySet<string>, found: readonly string[]): string[] {
  const missing = [...expected].filter((one) => !found.includes(one));
  const extra = found.filter((one) => !expected.has(one));
  return [...missing.map((one) => `${one} ${what} by the text`), ...extra.map((one) => `${one} ${what} by the floor`)];
}
