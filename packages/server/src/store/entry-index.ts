import type { Entry, Floor } from "@plenary/floor";
import type { Binding } from "../ports/lookups.ts";
import { isOurRelay } from "../ports/speaker-uri.ts";

/** `first` is written only when the speaker has no binding; `again` replaces the binding. */
type BindingWrite = Binding & { kind: "first" | "again" };

/**
 * The binding that an entry makes for all conversations: an agent that answers from an address, a speaker that the
 * operator seats there, and the creator of a conversation with a relay address of this floor. The owner's commands and
 * approvals count for its own conversation only.
 */
export function bindingIn(entry: Entry): BindingWrite | undefined {
  switch (entry.kind) {
    case "opened": {
      const { owner, self } = entry;
      if (owner === undefined || self.serviceUrl === undefined) return undefined;
      return isOurRelay(self.serviceUrl, owner.identification) ? first(owner.identification) : undefined;
    }
    case "seated": {
      const isForAll = entry.because === "1.14/joined-by-answering" || entry.because === "command/seat/operator";
      return isForAll ? first(entry.seat.identification) : undefined;
    }
    case "rebound": {
      const { speakerUri, serviceUrl } = entry;
      return globalRebinds.includes(entry.because) ? { kind: "again", speakerUri, serviceUrl } : undefined;
    }
    default:
      return undefined;
  }
}

/** Commands of the operator, and an agent on this machine that answered from another port. */
const globalRebinds: readonly string[] = [
  "command/rebind/operator",
  "command/move/operator",
  "guard/moved-on-loopback",
];

function first({ speakerUri, serviceUrl }: Binding): BindingWrite {
  return { kind: "first", speakerUri, serviceUrl };
}

/** Key of the operator, who sees every title. It is not a speakerUri. */
export const operatorKey = "";

/**
 * The speakers that learn the title, or its removal, from this entry. A conversant that left still sees the title of that
 * time.
 */
export function titleReadersIn(entry: Entry, { conversants, options }: Floor): readonly string[] {
  switch (entry.kind) {
    case "opened": {
      const { owner } = entry;
      if (options.title === undefined) return [];
      return owner === undefined ? [operatorKey] : [operatorKey, owner.identification.speakerUri];
    }
    case "titled":
      return [operatorKey, ...conversants.map(({ identification }) => identification.speakerUri)];
    case "seated":
      return [entry.seat.identification.speakerUri];
    case "renamed":
      return [entry.to];
    default:
      return [];
  }
}
