// Every payload in each field that a floor shows: utterances, questions, names, titles and reasons.

import { startScriptedAgent } from "../support/scripted-agent.ts";
import type { PageFloor } from "./page-floor.ts";
import { tried } from "./xss-corpus.ts";

type Json = Record<string, unknown>;

// A floor accepts no unpaired surrogate.
const texts = tried.map(({ text }) => Buffer.from(text).toString());
const eventsPerEnvelope = 30;
const inputTypes = ["text", "radio", "checkbox", "dropdown", "binary_choice", "notification"];

const base64 = (text: string) => Buffer.from(text).toString("base64");
const featureOf = (mimeType: string, ...tokens: Json[]) => ({ mimeType, tokens });

/** One payload in each field of an utterance that holds text, a name, an address or a question. */
function saying(speakerUri: string, text: string, n: number): Json {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${text}</svg>`;
  const options = n % inputTypes.length === 0 ? [] : [{ id: text, label: text, value: text, description: text }];
  // A question with the same text as the utterance is not shown twice.
  const words = { text: `${text} ?`, placeholder: text, error: text };
  const asked = { id: `q${n}`, input_type: inputTypes[n % inputTypes.length], ...words, options };
  return utterance(speakerUri, `said-${n}`, {
    text: { ...featureOf("text/plain", { value: text }, { valueUrl: text }), lang: text },
    html: featureOf("text/html", { value: text }),
    ssml: featureOf("application/ssml+xml", { value: `<speak>${text}</speak>` }),
    image: featureOf("image/svg+xml", { value: base64(svg), alt: text }, { valueUrl: text }),
    audio: featureOf("audio/wav", { valueUrl: text }),
    unknown: { ...featureOf("text/x-unheard-of", { value: { [text]: text } }), lang: text },
    interaction: featureOf("application/vnd.plenary.interaction+json", { value: asked }),
  });
}

function utterance(speakerUri: string, id: string, features: Json): Json {
  const dialogEvent = { id, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return { eventType: "utterance", parameters: { dialogEvent } };
}

async function send(floor: PageFloor, id: string, speakerUri: string, events: readonly Json[]): Promise<void> {
  for (let from = 0; from < events.length; from += eventsPerEnvelope) {
    const some = events.slice(from, from + eventsPerEnvelope);
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events: some };
    await floor.must("POST", "/openfloor", { openFloor });
  }
}

async function join(floor: PageFloor, conversation: string, names: readonly string[]): Promise<string[]> {
  const speakers: string[] = [];
  let invite = "";
  for (const [index, name] of names.entries()) {
    if (index % 100 === 0) {
      const { link } = await floor.linkTo(conversation, { uses: 100 });
      invite = new URLSearchParams(new URL(link).hash.slice(1)).get("invite") ?? "";
    }
    speakers.push((await floor.must("POST", "/api/v1/guests", { invite, name })).speakerUri);
  }
  return speakers;
}

/** A conversation in which one guest sends all payloads as utterances and questions. */
export async function sayAll(floor: PageFloor): Promise<string> {
  const conversation = await floor.begin({ title: "Said" });
  const [speakerUri = ""] = await join(floor, conversation, [texts[0] ?? ""]);
  const said = texts.map((text, n) => saying(speakerUri, text, n));
  await send(floor, conversation, speakerUri, said);
  return conversation;
}

const agentsMax = 6;
const guestsMax = 50;
/** Characters that the floor accepts in no name. */
const unnamable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** A conversation whose people, agents, titles and reasons are payloads. Returns the number of guests. */
export async function nameAll(floor: PageFloor): Promise<{ conversation: string; guests: number; renamings: number }> {
  const agents = await Promise.all(Array.from({ length: agentsMax }, (_, index) => startNamed(index)));
  const quiet = await startScriptedAgent({ name: "Quiet" });
  const conversation = await floor.begin({ title: "Named", agents: [...agents, quiet] });
  const short = texts.filter((text) => text.length <= 100 && text.trim() !== "" && !unnamable.test(text));
  const every = Math.floor(short.length / guestsMax);
  const names = short.filter((_, n) => n % every === 0).slice(0, guestsMax);
  const speakers = await join(floor, conversation, names);
  await send(floor, conversation, speakers.at(-1) ?? "", [
    utterance(speakers.at(-1) ?? "", "last", {
      text: featureOf("text/plain", { value: "I am the last of many" }),
    }),
  ]);
  const floorEvents = texts.map((reason, index) => ({
    eventType: index % 2 === 0 ? "revokeFloor" : "grantFloor",
    reason,
    to: { speakerUri: quiet.speakerUri },
  }));
  await send(floor, conversation, floor.host, floorEvents);
  let renamings = 0;
  for (const title of texts) {
    const path = `/api/v1/conversations/${conversation}/title`;
    // The floor refuses control characters and names that are too long.
    renamings += await floor.must("POST", path, { title }).then(
      () => 1,
      () => 0,
    );
  }
  return { conversation, guests: speakers.length, renamings };
}

/** An agent with payloads in its manifest. */
async function startNamed(index: number) {
  const words = texts.filter((_, n) => n % agentsMax === index).join(" ");
  const agent = await startScriptedAgent({
    name: `Agent${index}`,
    onEvent(eventType, cue) {
      if (eventType !== "getManifests") return false;
      const identification = {
        speakerUri: agent.speakerUri,
        serviceUrl: agent.url,
        conversationalName: words,
        organization: words,
        synopsis: words,
        department: words,
        role: words,
      };
      const capabilities = [{ keyphrases: [words], descriptions: [words], languages: [words] }];
      const servicingManifests = [{ identification, capabilities }];
      cue.answer({ eventType: "publishManifests", parameters: { servicingManifests, discoveryManifests: [] } });
      return true;
    },
  });
  return agent;
}
