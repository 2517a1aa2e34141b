import type { Entry } from "@plenary/floor";
import { isOurRelay } from "../ports/relay-address.ts";
import type { Binding } from "../ports/store.ts";

/** `first` counts where nothing is known yet; `again` replaces what was known. */
type BindingWrite = Binding & { kind: "first" | "again" };

/**
 * The speaker that an entry binds to an address, for all conversations: an agent that answers from there, a speaker that
 * the operator places there, and the creator of a conversation who is reached through this floor. An owner decides for
 * its own conversation only: neither the speakers that it seats nor what it approves counts elsewhere.
 */
export function bindingIn(entry: Entry): BindingWrite | undefined {
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
      return meantForAll.includes(entry.because) ? { kind: "again", speakerUri, serviceUrl } : undefined;
    }
    default:
      return undefined;
  }
}

/** The operator's word, and what an agent of this machine proved by answering from another port. */
const meantForAll: readonly string[] = ["command/rebind/operator", "command/move/operator", "guard/moved-on-loopback"];

function first({ speakerUri, serviceUrl }: Binding): BindingWrite {
  return { kind: "first", speakerUri, serviceUrl };
}
