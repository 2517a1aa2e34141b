// The agent without a floor: envelopes in, envelopes out, and a scripted model.
import { createLlm } from "@plenary/agents";
import { createDialler, type Dialler } from "@plenary/sdk";
import { afterEach } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { type Play, type StubModel, startModel } from "../support/stub-model.ts";

export const ann = "tag:wire.example,2026:ann";
export const clock = "tag:wire.example,2026:clock";
export const me = "tag:localhost,2025:llm-stub";
export const key = "sk-a-key-that-nobody-may-see";
export const dialler: Dialler = createDialler({ mode: "local" });
const closing: StubModel[] = [];

/** To be called in each test file: closes everything that a test started. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const model of closing.splice(0)) await model.close();
  });
}

export async function modelFor(...plays: Play[]): Promise<StubModel> {
  const model = await startModel(...plays);
  closing.push(model);
  return model;
}

type Settings = Partial<Parameters<typeof createLlm>[0]>;

export async function meet(plays: Play[], settings: Settings = {}) {
  const model = await modelFor(...plays);
  const errors: unknown[] = [];
  const agent = createLlm({
    baseUrl: model.baseUrl,
    model: "stub-7b",
    key,
    dialler,
    onError: (error) => errors.push(error),
    ...settings,
  });
  return { model, errors, agent };
}

export type Met = Awaited<ReturnType<typeof meet>>;

export const conversants = [
  {
    speakerUri: ann,
    conversationalName: "Ann",
    role: "User",
    synopsis: "A person.",
    serviceUrl: "http://127.0.0.1:1/ann",
  },
  {
    speakerUri: clock,
    conversationalName: "Clock",
    synopsis: "Tells the time.",
    serviceUrl: "http://127.0.0.1:1/clock",
  },
  { speakerUri: me, conversationalName: "Stub", synopsis: "Answers.", serviceUrl: "http://127.0.0.1:1/" },
].map((identification) => ({ identification: { organization: "Wire", ...identification } }));

let minted = 0;

export function words(text: string, from: string, to?: Json) {
  minted += 1;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: `de:${minted}`, speakerUri: from, span: { startTime: "2026-01-31T10:05:00Z" }, features };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

export type WireEvent = {
  eventType: string;
  reason?: string;
  parameters?: { dialogEvent: { features: { text: Json } } };
};

export async function send(
  { agent }: Met,
  events: readonly object[],
  from = ann,
  { signal, here = conversants }: { signal?: AbortSignal; here?: readonly object[] } = {},
): Promise<WireEvent[]> {
  const sender = { speakerUri: from };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c", conversants: here }, sender, events };
  const request = new Request("http://127.0.0.1:1/", {
    method: "POST",
    body: JSON.stringify({ openFloor }),
    ...(signal && { signal }),
  });
  const response = await agent.fetch(request);
  return ((await response.json()) as { openFloor: { events: WireEvent[] } }).openFloor.events;
}

/** The texts of its answer to an utterance that addresses it. */
export async function answerTo(met: Met, text: string, from = ann): Promise<string> {
  const said = (await send(met, [words(text, from, { speakerUri: me })], from)).flatMap(textIn);
  return said.join("\n");
}

function textIn({ parameters }: WireEvent): string[] {
  const tokens = parameters?.dialogEvent.features.text.tokens as { value: string }[] | undefined;
  return tokens?.map(({ value }) => value) ?? [];
}
