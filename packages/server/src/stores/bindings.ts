import type { Entry } from "@plenary/floor";
import { isRelayOf } from "../relay-address.ts";

/** A speaker and the address it joined from. */
export type Binding = { speakerUri: string; serviceUrl: string };

/** `first` counts where nothing is known yet; `again` is the operator's word and replaces what was known. */
export function bindingIn(entry: Entry): (Binding & { kind: "first" | "again" }) | undefined {
  if (entry.kind === "rebound") {
    const { speakerUri, serviceUrl } = entry;
    // An owner speaks for its own conversation only, and its floor remembers that.
    return entry.because === "command/rebind/operator" ? { kind: "again", speakerUri, serviceUrl } : undefined;
  }
  if (entry.kind !== "seated" || entry.seat.kind !== "agent" || entry.seat.state !== "joined") return undefined;
  const { speakerUri, serviceUrl } = entry.seat.identification;
  // Behind a relay address stands whoever has the credential, not whoever answers there.
  return isRelayOf(serviceUrl, speakerUri) ? undefined : { kind: "first", speakerUri, serviceUrl };
}
