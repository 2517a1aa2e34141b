import type { FloorEvent } from "@plenary/protocol";
import { grant } from "./events.ts";
import { beneficiaryOf } from "./floor-view.ts";
import { consentTo } from "./permissions.ts";
import type { Chair, Matter, Sight } from "./policy.ts";

type Nothing = Readonly<Record<never, never>>;

/** Everybody may speak. */
export const openChair: Chair<Nothing> = {
  name: "open",
  conversationalName: "Open Floor",
  synopsis: "Convenes with an open door: everybody may speak, invite, and have the floor.",
  newState: () => ({}),
  rule: (state, matter, sight) => ({ state, events: matter.kind === "asked" ? openly(matter, sight) : [] }),
};

/** O1 to O4. Other chairs rule so where they have nothing to say. */
export function openly({ event, sender }: Matter & { kind: "asked" }, sight: Sight): readonly FloorEvent[] {
  switch (event.eventType) {
    case "requestFloor":
      return [grant(beneficiaryOf(event, sender, sight))];
    case "uninvite":
    case "revokeFloor":
      return consentTo(event, sender, sight);
    default:
      return [event];
  }
}
