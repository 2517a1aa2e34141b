// A discovery agent without a floor, and manifests of other agents.
import type { Manifest, ScoredManifest } from "@plenary/protocol";
import { createDiscovery, type DiscoveryOptions } from "../discovery/discovery.ts";

export const serviceUrl = "http://127.0.0.1:7536/agents/discovery";
export const ann = { speakerUri: "tag:people.example,2026:ann" };

export type WireEvent = {
  eventType: string;
  to?: Record<string, unknown>;
  parameters?: {
    servicingManifests?: ScoredManifest[];
    discoveryManifests?: ScoredManifest[];
    dialogEvent?: { features: Record<string, { mimeType: string; tokens: { value: unknown }[] }> };
  };
};

type About = { keyphrases?: string[]; synopsis?: string; isDiscovery?: boolean; at?: string };

export function manifestOf(name: string, { keyphrases = [], synopsis = "", isDiscovery, at }: About = {}): Manifest {
  return {
    identification: {
      speakerUri: `tag:agents.example,2026:${name}`,
      serviceUrl: at ?? `https://${name}.example/`,
      organization: "Example",
      conversationalName: name,
      synopsis,
      ...(isDiscovery === true && { openFloorRoles: { discovery: true } }),
    },
    capabilities: [{ keyphrases, descriptions: [] }],
  };
}

export const visa = manifestOf("visa", {
  keyphrases: ["visa", "immigration", "passport"],
  synopsis: "Immigration to Estonia.",
});
export const library = manifestOf("library", { keyphrases: ["books", "novels", "reading"] });
export const guide = manifestOf("finder", { keyphrases: ["discovery"], isDiscovery: true });

export function openDiscovery(options: DiscoveryOptions = {}) {
  const discovery = createDiscovery({ serviceUrl, ...options });
  let said = 0;
  const send = async (events: object[], sender: object = ann, agent = discovery as typeof discovery.stranger) => {
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender, events };
    const body = JSON.stringify({ openFloor });
    const response = await agent.fetch(new Request(serviceUrl, { method: "POST", body }));
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return JSON.parse(text).openFloor.events as WireEvent[];
  };
  const utterance = (text: string, to: object | undefined, features: object = {}) => {
    said += 1;
    const spoken = { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...features };
    const span = { startTime: "2026-01-31T10:05:00Z" };
    const dialogEvent = { id: `de:${said}`, speakerUri: ann.speakerUri, span, features: spoken };
    return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
  };
  const publish = (
    manifests: readonly Manifest[],
    sender: object = ann,
    discoveryManifests: readonly Manifest[] = [],
  ) =>
    send(
      [{ eventType: "publishManifests", parameters: { servicingManifests: manifests, discoveryManifests } }],
      sender,
    );
  /** The events of the answer, and the names of the recommended agents. */
  const ask = async (
    scope: string | undefined,
    tasks: readonly string[] = [],
    { to = { serviceUrl }, features, sender }: { to?: object | null; features?: object; sender?: object } = {},
  ) => {
    const addressee = to === null ? {} : { to };
    const whisper = { ...(to ?? { speakerUri: discovery.manifest.identification.speakerUri }), private: true };
    const events = await send(
      [
        { eventType: "getManifests", ...addressee, ...(scope && { parameters: { recommendScope: scope } }) },
        ...tasks.map((text) => utterance(text, whisper, features)),
      ],
      sender,
    );
    return { events, ...recommendationIn(events) };
  };
  return { discovery, send, utterance, publish, ask };
}

export const searchOf = (value: object) => ({
  search: { mimeType: "application/vnd.plenary.search+json", tokens: [{ value }] },
});

function recommendationIn(events: readonly WireEvent[]) {
  const published = events.find(({ eventType }) => eventType === "publishManifests")?.parameters;
  return {
    servicing: published?.servicingManifests?.map(nameOf),
    discovery: published?.discoveryManifests?.map(nameOf),
  };
}

function nameOf({ identification }: Manifest): string {
  return identification.conversationalName;
}
