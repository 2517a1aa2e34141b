// An agent that works longer than a request may take: it answers at once with no events, and posts its utterance later to the
// serviceUrl of the speaker. Webhook services do so and name the request they answer; simple agents name nothing.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, eventsIn, type Heard, startAgent } from "../support/http-agent.ts";

type Root = { conversation: { id: string }; sender: { speakerUri: string; serviceUrl: string } };

export type LateAgent = {
  agent: Agent;
  /** Posts an utterance to the person that spoke last, and returns the response. */
  answerLate: (text: string, headers?: Record<string, string>) => Promise<{ status: number; body: string }>;
  /** The name of the newest request. */
  heardAs: () => string;
};

export async function startLateAgent(speakerUri: string): Promise<LateAgent> {
  let last: Heard | undefined;
  const agent = await startAgent((heard, me) => {
    if (eventsIn(heard).some(({ eventType }) => eventType === "utterance")) last = heard;
    return answer(heard, me);
  }, speakerUri);
  return {
    agent,
    heardAs: () => String(last?.headers["webhook-id"]),
    async answerLate(text, headers = {}) {
      if (last === undefined) throw new Error("nobody has spoken to it");
      const root = last.body.openFloor as Root;
      const letter = answer(last, agent, utterance(speakerUri, text)).body;
      const response = await fetch(root.sender.serviceUrl, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: letter,
      });
      return { status: response.status, body: await response.text() };
    },
  };
}
