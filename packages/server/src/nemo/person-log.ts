import { createHash } from "node:crypto";
import type { Entry, Floor } from "@plenary/floor";
import type { TranscriptEntry } from "@plenary/transcript";
import type { FloorContext, ProcessContext, StorageContext } from "../context.ts";
import { briefEntryFor } from "../conversation/conversation-view.ts";
import { readerFor } from "../conversation/visibility.ts";
import { traceIdOf } from "../observability/spans.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { ClientFeatures, NemoOutput } from "./participant.ts";
import { Renderer } from "./renderer/renderer.ts";

type OwnUtterance = { seq: number; turn: string };

const pageMax = 256;
/** Entries that are searched, from the end of the log. */
const entriesMax = 4_096;

/** The newest utterance of this speaker, or the one of that id. */
export async function findUtterance(
  log: ConversationLog,
  floor: Floor,
  { speakerUri, dialogEventId }: { speakerUri: string; dialogEventId?: string },
): Promise<OwnUtterance | undefined> {
  const isIt = (entry: Entry) =>
    entry.kind === "event" &&
    entry.sender === speakerUri &&
    entry.event.eventType === "utterance" &&
    (dialogEventId === undefined || entry.event.parameters.dialogEvent.id === dialogEventId);
  for (let last = floor.seq; last > 0 && last > floor.seq - entriesMax; last -= pageMax) {
    const after = Math.max(0, last - pageMax);
    const entries = await log.entries(floor.id, { after, limit: last - after });
    const found = entries.findLast(isIt);
    if (found !== undefined) return { seq: found.seq, turn: found.turn };
  }
  return undefined;
}

/** Whether a question (D31) was asked since then, to any conversant. */
export async function isAsked(log: ConversationLog, floor: Floor, after: number): Promise<boolean> {
  const entries = await log.entries(floor.id, { after, limit: entriesMax });
  return entries.some(
    (entry) =>
      entry.kind === "event" &&
      entry.event.eventType === "utterance" &&
      Object.hasOwn(entry.event.parameters.dialogEvent.features, "interaction"),
  );
}

/** Entries that are read from before, because a question in them may still be open. */
const lookBack = 500;

type Options = { floor: Floor; speakerUri: string; after: number; clientFeatures: ClientFeatures };

/** A renderer for the output after entry `after`, and `readFrom`, the entry after which to read the log. */
export async function openRenderer(
  log: ConversationLog,
  { floor, speakerUri, after, clientFeatures }: Options,
): Promise<{ renderer: Renderer; readFrom: number }> {
  // The creator chooses the conversation id, which may be long; step ids have this hash of it.
  const conversation = createHash("sha256").update(floor.id).digest("base64url").slice(0, 10);
  const renderer = new Renderer({ me: speakerUri, conversation, clientFeatures, after });
  const readFrom = Math.max(0, after - lookBack);
  // The first entry has the identity of the floor.
  const [opened] = readFrom === 0 ? [] : await log.entries(floor.id, { after: 0, limit: 1 });
  if (opened !== undefined) renderer.entry(briefEntryFor(opened, readerFor(floor, speakerUri)) as TranscriptEntry, 0);
  // Invited agents count as joined: with several agents, the first greeting needs a name too.
  renderer.addConversants(floor.conversants.map((participant) => ({ ...participant, state: "joined" })));
  return { renderer, readFrom };
}

const replayedMax = 1_000;

/** The output of an earlier message, made again from the log. */
export async function replayTurn(
  { log, clock, self }: ProcessContext & FloorContext & StorageContext,
  { floor, speakerUri, first }: { floor: Floor; speakerUri: string; first: OwnUtterance | undefined },
): Promise<NemoOutput[]> {
  // Includes the message itself: without an answer to it, the output says so.
  const after = first === undefined ? floor.seq : first.seq - 1;
  const { renderer } = await openRenderer(log, { floor, speakerUri, after, clientFeatures: { hasAllPrompts: true } });
  const nowMs = clock.now();
  const output = renderer.begin(nowMs);
  if (first !== undefined) renderer.addTurn(first.turn);
  const reader = readerFor(floor, speakerUri);
  for (const entry of await log.entries(floor.id, { after, limit: replayedMax })) {
    if (entry.turn !== first?.turn) continue;
    output.push(...renderer.entry(briefEntryFor(entry, reader) as TranscriptEntry, nowMs));
  }
  const trace = first && traceIdOf({ conversationId: floor.id, turn: first.turn }, self);
  return [...output, ...renderer.complete(trace)].filter(({ kind }) => kind !== "prompt");
}
