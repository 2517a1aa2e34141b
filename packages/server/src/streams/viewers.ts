import type { DeliveringContext, ProcessContext, ReceivingContext, StorageContext } from "../context.ts";
import type { DraftListener } from "../delivery/drafts.ts";
import { Problem } from "../errors.ts";
import type { StreamLimits } from "../limits.ts";
import type { StreamSink } from "./backpressure.ts";
import { createLiveTails } from "./live-tail.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Presence } from "./presence.ts";
import type { ViewerRequest } from "./query.ts";
import { openViewer, type Viewer } from "./viewer.ts";

/** Open viewer streams, by speaker. */
export type Viewers = {
  /** Throws the problem `busy` at the limit of streams. */
  open(request: ViewerRequest, sink: StreamSink): Viewer;
  /** Stores and shows an envelope that another floor sent to a person. */
  post(speaker: string, document: Record<string, unknown>): void;
  /** Whether a connected client of this person shows envelopes of other floors. */
  shows(speaker: string): boolean;
  count(): number;
  close(): void;
};

type ViewersContext = {
  server: ProcessContext & StorageContext & ReceivingContext & DeliveringContext;
  limits: StreamLimits;
  mailbox: Mailbox;
  presence: Presence;
};

export function createViewers(context: ViewersContext): Viewers {
  const { server, limits, mailbox, presence } = context;
  const bySpeaker = new Map<string, Set<Viewer>>();
  const liveTails = createLiveTails(server);
  /** Viewers that follow all conversations of their speaker. */
  const followingAll = new Set<Viewer>();
  let count = 0;
  const stopDrafts = server.onDraft(undefined, draftsTo(bySpeaker));
  const stopWatching = server.notifier.watch(undefined, (conversationId) => {
    for (const viewer of followingAll) {
      if (!viewer.lacks(conversationId)) continue;
      findNewcomers(server, conversationId, bySpeaker).catch(server.onError);
      return;
    }
  });
  return {
    open(request, sink) {
      const { speaker } = request;
      const ofSpeaker = bySpeaker.get(speaker) ?? new Set();
      if (count >= limits.streamsMax || ofSpeaker.size >= limits.streamsPerSpeakerMax) {
        throw new Problem("busy", { detail: "too many streams are open" });
      }
      const viewer = openViewer({ ...context, liveTails, sink, onClosed }, request);
      function onClosed(): void {
        count -= 1;
        ofSpeaker.delete(viewer);
        followingAll.delete(viewer);
        if (ofSpeaker.size === 0 && bySpeaker.get(speaker) === ofSpeaker) bySpeaker.delete(speaker);
        presence.disconnected(speaker);
      }
      count += 1;
      if ("cursor" in request) followingAll.add(viewer);
      bySpeaker.set(speaker, ofSpeaker.add(viewer));
      presence.connected(speaker);
      return viewer;
    },
    post(speaker, document) {
      mailbox.put(speaker, document);
      for (const viewer of bySpeaker.get(speaker) ?? []) viewer.checkMail();
    },
    shows: (speaker) => [...(bySpeaker.get(speaker) ?? [])].some((viewer) => followingAll.has(viewer)),
    count: () => count,
    close() {
      stopDrafts();
      stopWatching();
      for (const viewers of [...bySpeaker.values()]) for (const viewer of [...viewers]) viewer.end();
    },
  };
}

/** D30: sends drafts to the audience of the finished utterance only. Encoded once for all viewers. */
function draftsTo(bySpeaker: ReadonlyMap<string, ReadonlySet<Viewer>>): DraftListener {
  return (draft, audience) => {
    let written: Buffer | undefined;
    const bytes = () => {
      written ??= Buffer.from(JSON.stringify({ draft }));
      return written;
    };
    for (const speaker of audience) for (const viewer of bySpeaker.get(speaker) ?? []) viewer.draft(draft, bytes);
  };
}

// A conversant that joined and left within this many entries of one notification is still found.
const lookBackEntries = 64;

/** Adds the conversation to the streams of speakers that joined it. */
async function findNewcomers(
  { log }: StorageContext,
  conversationId: string,
  bySpeaker: ReadonlyMap<string, ReadonlySet<Viewer>>,
): Promise<void> {
  const floor = await log.load(conversationId);
  if (floor === undefined) return;
  const recent = await log.entries(conversationId, {
    after: Math.max(0, floor.seq - lookBackEntries),
    limit: lookBackEntries,
  });
  const speakers = new Set(recent.flatMap(({ audience }) => audience));
  for (const { identification } of floor.conversants) speakers.add(identification.speakerUri);
  for (const [alias, name] of Object.entries(floor.aliases)) if (speakers.has(name)) speakers.add(alias);
  for (const speaker of speakers) for (const viewer of bySpeaker.get(speaker) ?? []) viewer.follow(conversationId);
}
