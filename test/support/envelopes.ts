// Open Floor 1.1.0 envelopes and events as a client without our code writes and reads them.
export type Json = Record<string, unknown>;

export type WireEvent = {
  eventType: string;
  to?: Record<string, unknown>;
  reason?: string;
  parameters?: Record<string, unknown>;
};

export const ann = "tag:people.example,2026:ann";
export const bob = "tag:people.example,2026:bob";
export const cid = "tag:people.example,2026:cid";
export const bot = "tag:bot.example,2026:bot";

export function envelopeOf(conversation: string, speakerUri: string, events: readonly object[]): Json {
  return {
    openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri }, events },
  };
}

type UtteranceOptions = {
  id?: string;
  /** The speaker, when another conversant sends the utterance. */
  speaker?: string;
  startTime?: string;
  lang?: string;
  /** Beside the text. */
  features?: object;
  /** Fields of the event. */
  to?: object | undefined;
  reason?: string;
  eventType?: string;
} & Json;

let count = 0;

export function utterance(speakerUri: string, text: string, options: UtteranceOptions = {}): Json {
  count += 1;
  const { id = `said-${count}`, speaker = speakerUri, startTime, lang, features, to, ...fields } = options;
  const dialogEvent = {
    id,
    speakerUri: speaker,
    span: { startTime: startTime ?? "2026-01-01T00:00:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }], ...(lang && { lang }) }, ...features },
  };
  return { eventType: "utterance", ...(to && { to }), ...fields, parameters: { dialogEvent } };
}

export function textOf(event: WireEvent | undefined): string | undefined {
  const dialogEvent = event?.parameters?.dialogEvent as
    | { features?: { text?: { tokens: { value: string }[] } } }
    | undefined;
  return dialogEvent?.features?.text?.tokens.map(({ value }) => value).join("");
}

/** The text of every utterance in a document, in order. */
export function wordsIn(document: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "tokens" && Array.isArray(value)) found.push(value.map((token: Json) => String(token.value)).join(""));
    return value;
  });
  return found;
}

/** Utterances in the response to an envelope: speaker and text. */
export function said({ body }: { body: { consequences?: Consequence[] } }): [string, string][] {
  return (body.consequences ?? []).flatMap(({ openFloor }) =>
    openFloor.events.flatMap((event): [string, string][] => {
      const text = textOf(event);
      return text === undefined ? [] : [[openFloor.sender.speakerUri, text]];
    }),
  );
}

export function eventTypes({ body }: { body: { consequences?: Consequence[] } }): string[] {
  return (body.consequences ?? []).flatMap(({ openFloor }) => openFloor.events.map(({ eventType }) => eventType));
}

export type Consequence = { openFloor: { sender: { speakerUri: string }; events: WireEvent[] }; seq: number };
