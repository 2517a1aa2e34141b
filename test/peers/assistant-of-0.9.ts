// An assistant of 0.9 as sandboxes ship them: it reads `ovon` and answers anything else with a web page and 500, signs with the
// address in its configuration (localhost, whatever name the request used), calls its speaker "assistant", and adds a whisper
// of concepts without text to each answer.
import { type Agent, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";

const crash = { status: 500, type: "text/html", body: "<html><title>500 Internal Server Error</title></html>" };

const assist: Behaviour = (heard, { url }) => {
  const { conversation } = (heard.body.ovon ?? {}) as { conversation?: object };
  if (conversation === undefined) return crash;
  const from = url.replace("127.0.0.1", "localhost");
  const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
  const words = isInvited ? "I am ready to assist" : `You said ${textsIn(heard).join(" ")}`;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: words }] } };
  const dialogEvent = { speakerId: "assistant", span: { startTime: "2026-01-01 00:00:00" }, features };
  const events = [
    { eventType: "whisper", parameters: { concepts: [] } },
    { eventType: "utterance", parameters: { dialogEvent } },
  ];
  return { body: JSON.stringify({ ovon: { conversation, schema: { version: "0.9.0" }, sender: { from }, events } }) };
};

export function startAssistantOf09(): Promise<Agent> {
  return startAgent(assist, "tag:sandbox.example,2024:assistant");
}
