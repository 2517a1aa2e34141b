import { randomBytes } from "node:crypto";
import type { Clock } from "./ports/clock.ts";
import type { FloorStore } from "./ports/store.ts";

type OwnNameContext = { store: Pick<FloorStore, "keep">; clock: Clock; onError: (error: unknown) => void };

type Given = { speakerUri?: string; publicUrl?: string };

/**
 * The floor's own speakerUri, created at the first start and stored. Its random part distinguishes floors at the same
 * address on different machines (D39). Conversants know the floor by it, so a speakerUri given later does not replace it.
 */
export async function keepOwnName({ store, clock, onError }: OwnNameContext, given: Given): Promise<string> {
  const kept = await store.keep("speakerUri", given.speakerUri ?? uniqueName(given.publicUrl, clock));
  if (given.speakerUri !== undefined && given.speakerUri !== kept) {
    const problem = `this store belongs to the floor ${kept}, so the speakerUri ${given.speakerUri} is not used`;
    onError(new Error(`${problem}: leave it out (--speaker, PLENARY_SPEAKER_URI), or start with another store`));
  }
  return kept;
}

function uniqueName(publicUrl: string | undefined, clock: Clock): string {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const year = new Date(clock.now()).getUTCFullYear();
  return `tag:${host},${year}:plenary-${randomBytes(6).toString("hex")}`;
}
