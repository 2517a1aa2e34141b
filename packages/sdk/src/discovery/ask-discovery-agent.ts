import {
  type Envelope,
  envelope,
  getManifests,
  type ScoredManifest,
  type Sender,
  textUtterance,
} from "@plenary/protocol";
import { type AskingDialler, askAgent } from "../ask-agent.ts";
import { type Reasons, reasonsIn, type SearchParameters, searchFeature } from "./recommendation.ts";

/** The task to find agents for. */
export type DiscoveryQuery = {
  text: string;
  /** BCP 47. One of them is enough. */
  languages?: readonly string[];
  /** Such as `text`, `audio` or `video`. All are required. */
  layers?: readonly string[];
  /** `all`: a discovery agent may recommend itself, too. Default: `external`. */
  scope?: "external" | "all";
};

type Recommended = { manifest: ScoredManifest; reasons?: Reasons };

export type DiscoveryAnswer =
  | { ok: true; speakerUri: string; servicing: Recommended[]; discovery: Recommended[] }
  | { ok: false; problem: string };

type AskContext = DiscoveryQuery & {
  dialler: AskingDialler;
  sender?: Sender;
  visited: readonly string[];
  answerMs: number;
  answerBytesMax: number;
  signal: AbortSignal;
};

/** Never rejects. */
export async function askDiscoveryAgent(serviceUrl: string, context: AskContext): Promise<DiscoveryAnswer> {
  const reply = await askAgent(serviceUrl, questionTo(serviceUrl, context), context);
  return reply.ok ? recommendationsIn(reply.envelope) : { ok: false, problem: reply.problem };
}

/** Figure 24: getManifests, and the task in a private utterance. */
function questionTo(serviceUrl: string, { text, languages, layers, scope = "external", visited, sender }: AskContext) {
  const id = crypto.randomUUID();
  // Without a speakerUri: with one, an agent returns only the manifest of that speaker.
  const to = { serviceUrl };
  // We follow the recommended discovery agents ourselves, so `depthLeft` is 0.
  const search: SearchParameters = {
    visited,
    depthLeft: 0,
    isExplained: true,
    ...(languages && languages.length > 0 && { languages }),
    ...(layers && layers.length > 0 && { layers }),
  };
  const { name, mimeType } = searchFeature;
  const asker = sender ?? { speakerUri: `urn:uuid:${id}` };
  const lang = languages?.[0];
  const task = textUtterance(text, {
    to,
    private: true,
    speakerUri: asker.speakerUri,
    id: crypto.randomUUID(),
    startTime: new Date().toISOString(),
    ...(lang !== undefined && { lang }),
    features: { [name]: { mimeType, tokens: [{ value: search }] } },
  });
  const events = [getManifests({ to, recommendScope: scope }), task];
  return envelope({ conversation: { id }, sender: asker, events });
}

function recommendationsIn({ events, sender: { speakerUri } }: Envelope): DiscoveryAnswer {
  const published = events.flatMap((event) => (event.eventType === "publishManifests" ? [event.parameters ?? {}] : []));
  const why = reasonsIn(events);
  const listed = (name: "servicingManifests" | "discoveryManifests") =>
    published
      .flatMap((lists) => lists[name] ?? [])
      .filter(isUsable)
      .slice(0, manifestsMax)
      .map((manifest): Recommended => {
        const reasons = why(manifest);
        return { manifest, ...(reasons && { reasons }) };
      });
  return { ok: true, speakerUri, servicing: listed("servicingManifests"), discovery: listed("discoveryManifests") };
}

/** Per list of an answer. */
const manifestsMax = 200;
const nameMax = 2_048;
const manifestCharsMax = 65_536;

/** The agent can be invited, and its manifest is not too large. */
function isUsable(manifest: ScoredManifest): boolean {
  const { speakerUri, serviceUrl } = manifest.identification;
  if (speakerUri.length > nameMax || serviceUrl.length > nameMax) return false;
  if (!/^https?:\/\//iu.test(serviceUrl) || !URL.canParse(serviceUrl)) return false;
  return JSON.stringify(manifest).length <= manifestCharsMax;
}
