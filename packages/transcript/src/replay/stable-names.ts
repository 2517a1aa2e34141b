import type { Entry } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";

/**
 * Names that match deliveries and deadlines of two logs of one conversation. Their ids count entries (D1), so they differ as
 * soon as one log has an entry more. The name consists of the input, the event and the recipient.
 */
export type StableNames = {
  /** Reads the next entry; `input` names the current input. */
  read(entry: Entry, input: string): void;
  /** By the id of a delivery. */
  deliveryName(id: string): string | undefined;
  /** By the number of the entry `held`. */
  heldName(seq: number): string | undefined;
  /** The newest delivery of that name. */
  deliveryCalled(name: string): string | undefined;
  /** The newest entry `held` of that name. */
  heldCalled(name: string): number | undefined;
  /** The input that caused an entry. */
  inputOf(seq: number): string | undefined;
};

export function createStableNames(): StableNames {
  const inputs = new Map<number, string>();
  const delegations = new Map<string, string>();
  const [nameById, idByName] = [new Map<string, string>(), new Map<string, string>()];
  const [nameByHeld, heldByName] = [new Map<number, string>(), new Map<string, number>()];
  const uses = new Map<string, number>();
  const fresh = (...parts: readonly string[]) => {
    const name = JSON.stringify(parts);
    const count = (uses.get(name) ?? 0) + 1;
    uses.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  };
  const nameDelivery = (id: string, to: string, ...parts: readonly string[]) => {
    // An envelope has the name of its first event (D22).
    if (nameById.has(id)) return;
    const name = fresh(...parts, to);
    nameById.set(id, name);
    idByName.set(name, id);
  };
  return {
    read(entry, input) {
      // A convener's answer belongs to the delegated envelope.
      const asked = entry.kind === "received" && entry.answers !== undefined && delegations.get(entry.answers);
      const root = asked || rootOf(entry, input, inputs);
      inputs.set(entry.seq, root);
      if (entry.kind === "event") {
        for (const { id, to } of entry.deliveries) nameDelivery(id, to, root, "event", markOf(entry.event));
      } else if (entry.kind === "parked" && entry.delivery !== undefined && entry.event !== undefined) {
        nameDelivery(entry.delivery.id, "", root, "delegation", markOf(entry.event));
        delegations.set(entry.delivery.id, root);
      } else if (entry.kind === "forwarded") {
        nameDelivery(entry.delivery.id, entry.delivery.to, root, "forwarded", entry.serviceUrl);
      } else if (entry.kind === "held") {
        const name = fresh(root, "held", entry.speakerUri);
        nameByHeld.set(entry.seq, name);
        heldByName.set(name, entry.seq);
      }
    },
    deliveryName: (id) => nameById.get(id),
    heldName: (seq) => nameByHeld.get(seq),
    deliveryCalled: (name) => idByName.get(name),
    heldCalled: (name) => heldByName.get(name),
    inputOf: (seq) => inputs.get(seq),
  };
}

/** The `causedBy` of a command's entry is only the entry before it, so it is ignored. */
function rootOf({ causedBy, because }: Entry, input: string, inputs: ReadonlyMap<number, string>): string {
  if (causedBy === undefined || because.startsWith("command/")) return input;
  return inputs.get(causedBy) ?? input;
}

function markOf(event: FloorEvent): string {
  const { eventType, to } = event;
  const said = event.eventType === "utterance" ? event.parameters.dialogEvent.id : "";
  return [eventType, to?.speakerUri ?? to?.serviceUrl ?? "", said].join(" ");
}
