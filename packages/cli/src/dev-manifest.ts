import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { encodeEnvelope, envelope, getManifests, type Manifest, parseEnvelope } from "@plenary/protocol";
import type { Dialler } from "@plenary/sdk";

const againMs = 50;
const answerMs = 5_000;
const answerBytesMax = 1_048_576;

/** Asks an agent that is just starting who it is, until it says so. Undefined when nobody wants to know any longer. */
export async function manifestWhenReady(
  dialler: Dialler,
  serviceUrl: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  while (!signal.aborted) {
    const manifest = await ask(dialler, serviceUrl, signal).catch(() => undefined);
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
  const { body } = await dialler.dial({
    url: serviceUrl,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(encodeEnvelope(question, "1.1").document),
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > answerBytesMax) return undefined;
    pieces.push(piece);
  }
  return manifestIn(Buffer.concat(pieces).toString("utf8"));
}

function manifestIn(text: string): Manifest | undefined {
  const parsed = parseEnvelope(text, { now: new Date().toISOString(), newId: randomUUID });
  if (!parsed.ok) return undefined;
  const manifests = parsed.envelope.events.flatMap((event) =>
    event.eventType === "publishManifests" ? (event.parameters?.servicingManifests ?? []) : [],
  );
  return manifests[0];
}
