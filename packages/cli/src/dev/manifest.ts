import { setTimeout as pause } from "node:timers/promises";
import { envelope, getManifests, type Manifest } from "@plenary/protocol";
import { askAgent, type Dialler } from "@plenary/sdk";

const againMs = 50;
const limits = { answerMs: 5_000, answerBytesMax: 1_048_576 };

/** Asks an agent that is just starting who it is, until it says so. Undefined when nobody wants to know any longer. */
export async function manifestWhenReady(
  dialler: Dialler,
  serviceUrl: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  while (!signal.aborted) {
    const manifest = await ask(dialler, serviceUrl, signal);
    if (manifest !== undefined) return manifest;
    await pause(againMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function ask(dialler: Dialler, serviceUrl: string, signal: AbortSignal): Promise<Manifest | undefined> {
  const question = envelope({
    conversation: { id: "urn:plenary:who-are-you" },
    sender: { speakerUri: "tag:plenary.example,2026:dev" },
    events: [getManifests({ to: { serviceUrl } })],
  });
  const reply = await askAgent(serviceUrl, question, { dialler, signal, ...limits });
  if (!reply.ok) return undefined;
  const manifests = reply.envelope.events.flatMap((event) =>
    event.eventType === "publishManifests" ? (event.parameters?.servicingManifests ?? []) : [],
  );
  return manifests[0];
}
