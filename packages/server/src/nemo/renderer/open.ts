import { createHash } from "node:crypto";
import type { Floor } from "@plenary/floor";
import type { TranscriptEntry } from "@plenary/transcript";
import { briefEntryFor } from "../../conversation/conversation-view.ts";
import { readerFor } from "../../conversation/visibility.ts";
import type { FloorStore } from "../../ports/store.ts";
import type { ClientFeatures, Renderer } from "../output.ts";
import { createRenderer } from "./renderer.ts";

/** What was asked so long before may still wait for an answer. */
const lookBack = 500;

type Options = { floor: Floor; speakerUri: string; after: number; clientFeatures: ClientFeatures };

/** One that tells what comes after that entry, and the entry after which it is to be read to. */
export async function openRenderer(
  store: FloorStore,
  { floor, speakerUri, after, clientFeatures }: Options,
): Promise<{ renderer: Renderer; readFrom: number }> {
  // Its creator chose the title, which may be long; each step shows this much of it.
  const conversation = createHash("sha256").update(floor.id).digest("base64url").slice(0, 10);
  const renderer = createRenderer({ me: speakerUri, conversation, clientFeatures, after });
  const readFrom = Math.max(0, after - lookBack);
  // Who this floor is stands in the first entry; who is here is known without the others.
  const [opened] = readFrom === 0 ? [] : await store.entries(floor.id, { after: 0, limit: 1 });
  if (opened !== undefined) renderer.entry(briefEntryFor(opened, readerFor(floor, speakerUri)) as TranscriptEntry, 0);
  // Who was just invited is about to greet: of several, the first one too has a name.
  renderer.look(floor.conversants.map((participant) => ({ ...participant, state: "joined" })));
  return { renderer, readFrom };
}
