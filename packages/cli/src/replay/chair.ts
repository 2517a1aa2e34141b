import { virtualConvener, virtualConvenerNames } from "@plenary/agents";
import { envelope, type FloorEvent } from "@plenary/protocol";
import { FloorProblem } from "../floor-problem.ts";
import type { AskedConvener } from "./asked.ts";

/** A ready-made convener in this process, which lives in the time of the record. */
export function chairCalls(who: string): AskedConvener {
  const name = who.replace(/^convener-/u, "");
  const self = {
    speakerUri: `tag:localhost,2025:convener-${name}`,
    serviceUrl: `urn:plenary:agent:convener-${name}`,
  };
  const convener = virtualConvener(name, self);
  if (convener === undefined) {
    const known = virtualConvenerNames.join(", ");
    throw new FloorProblem(
      `no ready-made convener is called ${who}: there are ${known}; give an address to ask another, or none`,
    );
  }
  const saying = (id: string, events: readonly FloorEvent[]) =>
    envelope({ conversation: { id }, sender: self, events: [...events] });
  return {
    ...{ place: { serviceUrl: self.serviceUrl }, words: `convener ${name}` },
    async ask(call) {
      const nowMs = Date.parse(call.at);
      const { id } = call.floor;
      if (call.kind === "time") {
        const { events, ...ruled } = convener.wake(nowMs);
        return { ...ruled, envelope: saying(id, events) };
      }
      const { conversation, sender, events, isInvite, isDelegation: isDelegated } = call.effect;
      if (isInvite) return { envelope: saying(id, [{ eventType: "acceptInvite" }]) };
      const { events: answer, ...ruled } = convener.hear({ conversation, sender, events, isDelegated }, nowMs);
      return { ...ruled, envelope: saying(id, answer) };
    },
    assertSeated: () => {},
    close: async () => {},
  };
}
