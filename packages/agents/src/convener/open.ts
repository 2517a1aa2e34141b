import type { FloorEvent } from "@plenary/protocol";
import { approveIfAllowed, grant } from "./events.ts";
import { beneficiaryOf } from "./floor-view.ts";
import type { ConvenerPolicy, FloorView, PolicyInput } from "./policy.ts";

type NoState = Readonly<Record<never, never>>;

/** Everyone may speak. */
export const openPolicy: ConvenerPolicy<NoState> = {
  name: "open",
  conversationalName: "Open Floor",
  synopsis: "Convenes an open floor: everyone may speak, invite others and have the floor.",
  newState: () => ({}),
  rule: (state, input, view) => ({ state, events: input.kind === "delegated" ? approveOpenly(input, view) : [] }),
};

/** O1 to O4. Also the default of other policies for events that they have no rule for. */
export function approveOpenly(
  { event, sender }: PolicyInput & { kind: "delegated" },
  view: FloorView,
): readonly FloorEvent[] {
  switch (event.eventType) {
    case "requestFloor":
      return [grant(beneficiaryOf(event, sender, view))];
    case "uninvite":
    case "revokeFloor":
      return approveIfAllowed(event, sender, view);
    default:
      return [event];
  }
}
