// A minimal floor: it posts envelopes to one agent and reads its events, which must have no issue.
import { envelope, type FloorEvent, parseEnvelope, textUtterance } from "@plenary/protocol";
import { type AgentOptions, createAgent } from "@plenary/sdk";
import { expect } from "vitest";

export const ann = { speakerUri: "tag:ann.example,2025:1", serviceUrl: "https://ann.example" };
export const me = { speakerUri: "tag:bot.example,2025:1", serviceUrl: "https://bot.example" };
export const other = { speakerUri: "tag:other.example,2025:1", serviceUrl: "https://other.example" };
export const toMe = { speakerUri: me.speakerUri };
export const manifest = {
  identification: { ...me, organization: "Example", conversationalName: "Bot", synopsis: "" },
  capabilities: [{ keyphrases: ["visa", "passport"], descriptions: ["knows visa rules"] }],
};

const startTime = "2025-01-31T10:05:00Z";

type Options = Partial<AgentOptions<Record<string, unknown>>>;
type Extra = { conversation?: object; sender?: object; headers?: Record<string, string> };

export function said(text: string, to?: FloorEvent["to"], speakerUri = ann.speakerUri) {
  return textUtterance(text, { speakerUri, id: `de:${text}`, startTime, ...(to && { to }) });
}

export function bodyOf(events: FloorEvent[], { conversation, sender = ann }: Extra = {}): string {
  const whole = envelope({ conversation: { id: "c1" }, sender: ann, events });
  return JSON.stringify({ openFloor: { ...whole, conversation: { id: "c1", ...conversation }, sender } });
}

export function createFloor(options: Options = {}) {
  const errors: unknown[] = [];
  const agent = createAgent({
    manifest,
    onUtterance: ({ text }) => `You said: ${text}`,
    onError: (error) => errors.push(error),
    ...options,
  });
  const post = (body: string, headers: Record<string, string> = {}) =>
    agent.fetch(new Request(me.serviceUrl, { method: "POST", body, headers }));
  const deliver = async (events: FloorEvent[], extra: Extra = {}) => {
    const response = await post(bodyOf(events, extra), extra.headers);
    expect(response.status).toBe(200);
    const answer = read(await response.text());
    expect(answer.sender).toEqual(me);
    return answer.events;
  };
  return { agent, post, deliver, errors };
}

export function read(text: string) {
  const parsed = parseEnvelope(text, { now: startTime, newId: () => "new" });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  expect(parsed.issues).toEqual([]);
  return parsed.envelope;
}

/** The events of an agent, one word or sentence each. */
export function gist(events: readonly FloorEvent[]): string[] {
  return events.map((event) => {
    if (event.eventType !== "utterance") return event.eventType;
    const { value } = event.parameters.dialogEvent.features.text?.tokens[0] ?? {};
    return `${event.to?.private === true ? "whisper" : "say"}: ${value}`;
  });
}
