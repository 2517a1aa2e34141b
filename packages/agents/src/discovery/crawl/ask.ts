import { type Envelope, envelope, getManifests, type ScoredManifest, type Sender } from "@plenary/protocol";
import { type AskingDialler, askAgent } from "@plenary/sdk";

/** `guides` are the addresses of those that were told as discovery agents. */
export type Told = { speakerUri: string; manifests: readonly ScoredManifest[]; guides: readonly string[] };

/** As a floor tells it of the agents it knows. silent: it does not answer. failing: it says what nobody can use. */
export type Asking = { ok: true; told: Told } | { ok: false; health: "silent" | "failing" };

type Way = { dialler: AskingDialler; sender: Sender; signal: AbortSignal };

const answerMs = 5_000;
const answerBytesMax = 524_288;
/** A site decides how many it tells of (spec 1.17), and this is how many are listened to. */
const manifestsMax = 50;

/** Spec 1.17, use case 1: who are you, and what can you do? Never rejects. */
export async function askWho(serviceUrl: string, { dialler, sender, signal }: Way): Promise<Asking> {
  const conversation = { id: crypto.randomUUID() };
  const question = envelope({ conversation, sender, events: [getManifests({ to: { serviceUrl } })] });
  const reply = await askAgent(serviceUrl, question, { dialler, signal, answerMs, answerBytesMax });
  if (!reply.ok) return { ok: false, health: reply.isSilent ? "silent" : "failing" };
  return { ok: true, told: toldIn(reply.envelope) };
}

function toldIn({ events, sender: { speakerUri } }: Envelope): Told {
  const published = events.flatMap((event) => (event.eventType === "publishManifests" ? [event.parameters ?? {}] : []));
  const servicing = published.flatMap(({ servicingManifests = [] }) => servicingManifests);
  const discovery = published.flatMap(({ discoveryManifests = [] }) => discoveryManifests).slice(0, manifestsMax);
  return {
    speakerUri,
    manifests: [...servicing, ...discovery].slice(0, manifestsMax),
    guides: discovery.map(({ identification }) => identification.serviceUrl),
  };
}
