import type { ServerContext } from "../context.ts";
import type { DraftListener } from "../delivery/drafts.ts";
import { Problem } from "../errors.ts";
import type { StreamLimits } from "../limits.ts";
import type { StreamSink } from "./backpressure.ts";
import { createChannels } from "./live-tail.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Presence } from "./presence.ts";
import { openViewer, type Viewer, type ViewerRequest } from "./viewer.ts";

/** Everybody who looks on, by whose eyes. */
export type Viewers = {
  /** Throws the problem `busy` when there are too many. */
  open(request: ViewerRequest, sink: StreamSink): Viewer;
  /** Hands a person what another floor sent to it. */
  post(speaker: string, document: Record<string, unknown>): void;
  /** Whether a client is open that shows a person what other floors send. */
  shows(speaker: string): boolean;
  count(): number;
  close(): void;
};

type ViewersContext = { server: ServerContext; limits: StreamLimits; mailbox: Mailbox; presence: Presence };

export function createViewers(context: ViewersContext): Viewers {
  const { server, limits, mailbox, presence } = context;
  const bySpeaker = new Map<string, Set<Viewer>>();
  const channels = createChannels(server);
  /** Those that follow whatever their speaker takes part in. */
  const wide = new Set<Viewer>();
  let count = 0;
  const stopDrafts = server.onDraft(undefined, draftsTo(bySpeaker));
  const stopWatching = server.notifier.watch(undefined, (conversationId) => {
    if (![...wide].some((viewer) => viewer.lacks(conversationId))) return;
    findNewcomers(server, conversationId, bySpeaker).catch(server.onError);
  });
  return {
    open(request, sink) {
      const { speaker } = request;
      const mine = bySpeaker.get(speaker) ?? new Set();
      if (count >= limits.streamsMax || mine.size >= limits.streamsPerSpeakerMax) {
        throw new Problem("busy", { detail: "too many streams are open" });
      }
      const viewer = openViewer({ ...context, channels, sink, onClosed }, request);
      function onClosed(): void {
        count -= 1;
        mine.delete(viewer);
        wide.delete(viewer);
        if (mine.size === 0 && bySpeaker.get(speaker) === mine) bySpeaker.delete(speaker);
        presence.went(speaker);
      }
      count += 1;
      if ("cursor" in request) wide.add(viewer);
      bySpeaker.set(speaker, mine.add(viewer));
      presence.came(speaker);
      return viewer;
    },
    post(speaker, document) {
      mailbox.put(speaker, document);
      for (const viewer of bySpeaker.get(speaker) ?? []) viewer.checkMail();
    },
    shows: (speaker) => [...(bySpeaker.get(speaker) ?? [])].some((viewer) => wide.has(viewer)),
    count: () => count,
    close() {
      stopDrafts();
      stopWatching();
      for (const viewers of [...bySpeaker.values()]) for (const viewer of [...viewers]) viewer.end();
    },
  };
}

/** D30: only to the audience the finished utterance will have; written once for all of them. */
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
const lookBack = 64;

/** Somebody may have been seated in a conversation that its stream does not follow yet. */
async function findNewcomers(
  { store }: ServerContext,
  conversationId: string,
  bySpeaker: ReadonlyMap<string, ReadonlySet<Viewer>>,
): Promise<void> {
  const floor = await store.load(conversationId);
  if (floor === undefined) return;
  const recent = await store.entries(conversationId, { after: Math.max(0, floor.seq - lookBack), limit: lookBack });
  const seen = new Set(recent.flatMap(({ audience }) => audience));
  for (const { identification } of floor.conversants) seen.add(identification.speakerUri);
  for (const [alias, name] of Object.entries(floor.aliases)) if (seen.has(name)) seen.add(alias);
  for (const speaker of seen) for (const viewer of bySpeaker.get(speaker) ?? []) viewer.follow(conversationId);
}
