// A client of OVON 0.9.3 as browsers of that time were: it looks for an assistant by findAssistant, expects the answer as
// proposeAssistant, and stores nothing: it expects to get back the persistentState that it sent.
export type OvonAnswer = {
  status: number;
  ovon: {
    schema: { version: string };
    conversation: { id: string; persistentState?: Record<string, unknown> };
    events: { eventType: string; parameters?: Record<string, unknown> }[];
  };
  consequences?: { ovon: OvonAnswer["ovon"] }[];
};

export type ClientOptions = { from: string; conversation: string; headers?: Record<string, string> };

export function createClientOf09({ from, conversation, headers = {} }: ClientOptions) {
  let persistentState: Record<string, unknown> = {};
  return {
    remember(key: string, value: object) {
      persistentState = { ...persistentState, [key]: value };
    },
    forget() {
      persistentState = {};
    },
    async post(url: string, ...events: object[]): Promise<OvonAnswer> {
      const state = Object.keys(persistentState).length === 0 ? {} : { persistentState };
      const ovon = {
        schema: { version: "0.9.3" },
        conversation: { id: conversation, ...state },
        sender: { from },
        events,
      };
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ ovon }),
      });
      return { status: response.status, ...((await response.json()) as Omit<OvonAnswer, "status">) };
    },
  };
}

let words = 0;

export function saidIn09(eventType: "utterance" | "whisper", speakerId: string, text: string, to?: string): object {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const span = { startTime: "2026-01-01T00:00:00Z" };
  const dialogEvent = { id: `old-${words++}`, speakerId, span, features };
  return { eventType, ...(to !== undefined && { to }), parameters: { dialogEvent } };
}
