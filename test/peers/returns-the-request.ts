// An agent that returns a request that it does not understand, byte for byte: handlers that change the parsed request in place and
// answer with it do this for every event type and root they do not know.
import { utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, eventsIn } from "../support/http-agent.ts";

/** `understands` says which request it answers; every other request is returned unchanged. */
export function returnsTheRequest(understands: (root: "ovon" | "openFloor", version: string) => boolean): Behaviour {
  return (heard, self) => {
    const root = heard.body.ovon === undefined ? "openFloor" : "ovon";
    const { schema } = heard.body[root] as { schema: { version: string } };
    if (!understands(root, schema.version)) return { body: heard.text };
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    const events = isInvited ? [utterance(self.speakerUri, "I am here")] : [];
    const { body } = answer(heard, self, ...events);
    return { body: body.replace('"version":"1.1.0"', `"version":"${schema.version}"`) };
  };
}
