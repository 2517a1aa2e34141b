// Floors whose invites lack common fields: the addressee is in the parameters or missing, no conversant is
// listed, the sender has no address. Seen in first versions of floors, and in test scripts.
import { person, post } from "./foreign-floor.ts";

type Odd = { events: object[]; sender?: Record<string, unknown>; conversation?: Record<string, unknown> };

const invite = (more: object = {}) => ({ eventType: "invite", ...more });

export const oddInvites: Record<string, (agentUrl: string) => Odd> = {
  "whose addressee stands in the parameters only": (serviceUrl) => ({
    events: [invite({ parameters: { to: { serviceUrl } } })],
  }),
  "without an addressee": () => ({ events: [invite()] }),
  "with an empty list of conversants": (serviceUrl) => ({
    events: [invite({ to: { serviceUrl } })],
    conversation: { conversants: [] },
  }),
  "from a sender without an address": (serviceUrl) => ({
    events: [invite({ to: { serviceUrl } })],
    sender: { speakerUri: person },
  }),
  "that names the agent by a speakerUri nobody knows": (serviceUrl) => ({
    events: [invite({ to: { serviceUrl, speakerUri: "urn:agent:7" } })],
  }),
  "with empty parameters and a flag that means nothing here": (serviceUrl) => ({
    events: [invite({ to: { serviceUrl, private: false }, parameters: {} })],
  }),
};

export async function inviteOddly(agentUrl: string, kind: string) {
  const { events, ...letter } = oddInvites[kind]?.(agentUrl) ?? { events: [] };
  return post(agentUrl, events, letter);
}
