// Conveners built on a library that reads each event into an object of its own and writes it again: the library completes
// `to` from the list of conversants, and leaves out what it has no field for.
import { type Agent, answer, eventsIn, startAgent } from "../support/http-agent.ts";

type Listed = { identification: { speakerUri: string; serviceUrl: string } };

export function startConvenerThatFillsInAddresses(): Promise<Agent> {
  return startAgent((heard, me) => {
    const { conversation } = heard.body.openFloor as { conversation: { conversants?: Listed[] } };
    const known = (conversation.conversants ?? []).map(({ identification }) => identification);
    if (heard.headers["plenary-delegated"] !== "1") return answer(heard, me);
    const events = eventsIn(heard).map(({ eventType, to, parameters }) => {
      const listed = known.find(({ speakerUri, serviceUrl }) => {
        return to?.speakerUri === undefined ? serviceUrl === to?.serviceUrl : speakerUri === to.speakerUri;
      });
      const full = listed && { speakerUri: listed.speakerUri, serviceUrl: listed.serviceUrl };
      return { eventType, ...(to && { to: { ...to, ...full } }), ...(parameters && { parameters }) };
    });
    return answer(heard, me, ...events);
  });
}
