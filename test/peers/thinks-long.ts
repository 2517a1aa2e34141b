// An agent that accepts at once and takes long to send the first byte of its answer: agents that call a large model
// or a tool, or whose platform starts them on demand, do this.
import { utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, eventsIn, silent, textsIn } from "../support/http-agent.ts";

/** It answers when `release` is called, and at once from then on. */
export function thinksLong({ onInvite = false } = {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const behaviour: Behaviour = async (heard, self) => {
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    if (isInvited && onInvite) {
      await released;
      return answer(heard, self, { eventType: "acceptInvite" }, utterance(self.speakerUri, "I woke up"));
    }
    const [text] = textsIn(heard);
    if (text === undefined) return silent(heard, self);
    await released;
    return answer(heard, self, utterance(self.speakerUri, `I thought about ${text}`));
  };
  return { behaviour, release };
}
