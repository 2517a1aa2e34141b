import type { Entry } from "@plenary/floor";
import type { Binding } from "../ports.ts";
import { isOurRelay } from "../relay-address.ts";

/** `first` counts where nothing is known yet; `again` is the operator's word and replaces what was known. */
type Bound = Binding & { kind: "first" | "again" };

/**
 * Whom an entry binds to an address, for all conversations: whoever proves to be there by answering, whoever the operator
 * says is there, and whoever begins a conversation and is reached through this floor. An owner speaks for its own
 * conversation only: neither whom it seats nor what it approves counts elsewhere.
 */
export function bindingIn(entry: Entry): Bound | undefined {
  switch (entry.kind) {
    case "opened": {
      const { owner, self } = entry;
      if (owner === undefined || self.serviceUrl === undefined) return undefined;
      return isOurRelay(self.serviceUrl, owner.identification) ? first(owner.identification) : undefined;
    }
    case "seated": {
      const isMeant = entry.because === "1.14/joined-by-answering" || entry.because === "command/seat/operator";
      return isMeant ? first(entry.seat.identification) : undefined;
    }
    case "rebound": {
      const { speakerUri, serviceUrl } = entry;
      return entry.because === "command/rebind/operator" ? { kind: "again", speakerUri, serviceUrl } : undefined;
    }
    default:
      return undefined;
  }
}

function first({ speakerUri, serviceUrl }: Binding): Bound {
  return { kind: "first", speakerUri, serviceUrl };
}
