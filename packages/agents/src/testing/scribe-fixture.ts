import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import type { ReadHistory } from "@plenary/sdk";
import { createScribe } from "../scribe/scribe.ts";

export const scribe = "tag:localhost,2025:scribe";
const home = "http://127.0.0.1:7536/agents/scribe";

export const uriOf = (name: string): string =>
  name === "Scribe" ? scribe : `tag:here.example,2026:${name.toLowerCase()}`;

/** A name in capitals is an agent, with its own address and synopsis. */
function conversantOf(name: string) {
  const speakerUri = uriOf(name);
  const isAgent = name === "Scribe" || name === name.toUpperCase();
  const serviceUrl = isAgent ? `http://${name.toLowerCase()}.example/` : `http://floor.example/openfloor/at/${name}`;
  const synopsis = isAgent ? "An agent." : "";
  return { identification: { speakerUri, serviceUrl, organization: "", conversationalName: name, synopsis } };
}

export type ScribeReply = { text: string; isPrivate: boolean; file?: { mimeType: string; value: string } };

type Addressee = { to?: string; isWhisper?: boolean };

/** A scribe with a minimal floor. `seated` may change when people join and leave; without it the floor sends no list. */
export function scribeFixture({ readHistory, seated }: { readHistory?: ReadHistory; seated?: string[] }) {
  const agent = createScribe({ speakerUri: scribe, serviceUrl: home, ...(readHistory && { readHistory }) });
  let minted = 0;
  const send = async (from: string, ...events: FloorEvent[]): Promise<FloorEvent[]> => {
    const conversation = { id: "c1", ...(seated && { conversants: seated.map(conversantOf) }) };
    const openFloor = envelope({ conversation, sender: { speakerUri: uriOf(from) }, events });
    const request = new Request(home, { method: "POST", body: JSON.stringify({ openFloor }) });
    const response = await agent.fetch(request);
    return JSON.parse(await response.text()).openFloor.events;
  };
  const utteranceBy = (from: string, text: string, { to, isWhisper = false }: Addressee = {}) => {
    minted += 1;
    const whom = to === undefined ? {} : { to: { speakerUri: uriOf(to), ...(isWhisper && { private: true }) } };
    const startTime = new Date().toISOString();
    return textUtterance(text, { speakerUri: uriOf(from), id: `u${minted}`, startTime, ...whom });
  };
  return {
    send,
    utteranceBy,
    invite: (from: string, parameters: object = {}) =>
      send(from, { ...invite({ to: { speakerUri: scribe, serviceUrl: home } }), parameters }),
    /** The scribe's direct reply. */
    say: async (from: string, text: string, whom?: Addressee): Promise<ScribeReply[]> =>
      (await send(from, utteranceBy(from, text, whom))).flatMap(linesOf),
  };
}

function linesOf(event: FloorEvent): ScribeReply[] {
  if (event.eventType !== "utterance") return [];
  const { text, transcript } = event.parameters.dialogEvent.features;
  const words = (text?.tokens ?? []).map(({ value }) => String(value)).join("");
  const file = transcript && { mimeType: transcript.mimeType, value: String(transcript.tokens[0]?.value) };
  return [{ text: words, isPrivate: event.to?.private === true, ...(file && { file }) }];
}
