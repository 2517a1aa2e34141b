// Conveners that decide what a new conversant may read: they return an invite with a shorter `dialogHistory`. This one also tries to
// add a line and to change another, which no convener may.
import type { Json } from "../support/envelopes.ts";
import { type Agent, answer, eventsIn, startAgent } from "../support/http-agent.ts";

export function startConvenerThatRedactsHistory(secret: string): Promise<Agent> {
  return startAgent((heard, me) => {
    if (heard.headers["plenary-delegated"] !== "1") return answer(heard, me);
    const events = eventsIn(heard).map((event) => {
      const history = event.parameters?.dialogHistory as Json[] | undefined;
      if (history === undefined) return event;
      const kept = history
        .filter((line) => !JSON.stringify(line).includes(secret))
        .map((line) => changed(line, "CHANGED"));
      const dialogHistory = [
        ...kept,
        ...history.slice(0, 1).map((line) => ({ ...changed(line, "ADDED"), id: "added" })),
      ];
      return { ...event, parameters: { ...event.parameters, dialogHistory } };
    });
    return answer(heard, me, ...events);
  });
}

function changed(line: Json, value: string): Json {
  return { ...line, features: { text: { mimeType: "text/plain", tokens: [{ value }] } } };
}
