// An agent that reads one older dialect only, 1.0.0 or 0.9.3, and answers any other request with 400. It reads utterances to
// others without answering, as agents do that take notes or wait for a keyword.
import { type Agent, answer, type Behaviour, startAgent } from "../support/http-agent.ts";

type OlderVersion = "1.0.0" | "0.9.3";

const follows10: Behaviour = (heard, agent) => {
  const { schema } = (heard.body.openFloor ?? {}) as { schema?: { version: string } };
  if (schema?.version !== "1.0.0") return { status: 400, body: '{"error":"version 1.0.0 expected"}' };
  return { body: answer(heard, agent).body.replace("1.1.0", "1.0.0") };
};

const follows09: Behaviour = (heard, agent) => {
  const { conversation } = (heard.body.ovon ?? {}) as { conversation?: { id: string } };
  if (conversation === undefined) return { status: 400, body: '{"error":"ovon expected"}' };
  const { id } = conversation;
  const ovon = { schema: { version: "0.9.3" }, conversation: { id }, sender: { from: agent.url }, events: [] };
  return { body: JSON.stringify({ ovon }) };
};

export function startOlderListener(version: OlderVersion): Promise<Agent> {
  return startAgent(version === "1.0.0" ? follows10 : follows09);
}
