// An agent on a strict library: events about others (who joined, declined, left, which manifests there are) do not
// fit its model of an event, and it answers the whole request with 400. Agents that validate each event against a class do this.
import { utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, eventsIn, type Heard, textsIn } from "../support/http-agent.ts";

const news = new Set(["acceptInvite", "declineInvite", "publishManifests", "bye"]);

export function versionOf({ body }: Heard): string {
  const { schema } = (body.openFloor ?? body.ovon) as { schema: { version: string } };
  return schema.version;
}

export type Strict = { behaviour: Behaviour; accepted: Heard[] };

/** It refuses in these versions with this status, and does not know 0.9. Other requests are in `accepted`. */
export function refusesNewsOfOthers({ versions = ["1.1.0", "1.0.0"], status = 400 } = {}): Strict {
  const accepted: Heard[] = [];
  const behaviour: Behaviour = (heard, self) => {
    const version = versionOf(heard);
    const types = eventsIn(heard).map(({ eventType }) => eventType);
    const isRefused = versions.includes(version) && types.some((type) => news.has(type));
    if (isRefused || heard.body.openFloor === undefined) return { status, body: '{"error":"unknown event"}' };
    accepted.push(heard);
    const { body } = answer(heard, self, ...(types.includes("invite") ? [{ eventType: "acceptInvite" }] : []));
    return { body: body.replace('"version":"1.1.0"', `"version":"${version}"`) };
  };
  return { behaviour, accepted };
}

/** Greets when it is invited, as most agents do: others get the acceptance and the greeting in one envelope. */
export function greets(name: string): Behaviour {
  return (heard, self) => {
    const isInvited = eventsIn(heard).some(
      ({ eventType, to }) => eventType === "invite" && to?.serviceUrl === self.url,
    );
    const hello = utterance(self.speakerUri, `${name} is here`);
    if (isInvited) return answer(heard, self, { eventType: "acceptInvite" }, hello);
    const parameters = { servicingManifests: [manifestOf(name, self)], discoveryManifests: [] };
    const manifest = { eventType: "publishManifests", parameters };
    const [word] = textsIn(heard);
    if (word === "manifest?") return answer(heard, self, manifest);
    return word === "manifest and hello?" ? answer(heard, self, manifest, hello) : answer(heard, self);
  };
}

function manifestOf(conversationalName: string, { speakerUri, url }: { speakerUri: string; url: string }): object {
  const about = { organization: "Peers", synopsis: `${conversationalName} is a peer.` };
  const identification = { speakerUri, serviceUrl: url, conversationalName, ...about };
  return { identification, capabilities: [{ keyphrases: ["peer"], descriptions: ["It peers."] }] };
}
