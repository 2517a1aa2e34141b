import { seatNamed } from "@plenary/floor";
import type { ServerContext } from "../context.ts";
import type { Draft } from "../delivery/drafts.ts";
import type { StreamLimits } from "../limits.ts";
import { type Backpressure, createBackpressure, type StreamSink } from "./backpressure.ts";
import { type Cursor, keyOfConversation, relayedKey, writeCursor } from "./cursor.ts";
import type { LiveTails } from "./live-tail.ts";
import { type LogReader, startReading } from "./log-reader.ts";
import type { Mailbox } from "./mailbox.ts";

/** One conversation from a sequence number on, by its events or by its log, or all of a speaker's from a cursor on. */
export type ViewerRequest = { speaker: string } & (
  | { conversation: string; after: number; isBrief: boolean }
  | { cursor: Cursor }
);

export type Viewer = {
  draft(draft: Draft, bytes: () => Buffer): void;
  checkMail(): void;
  /** True when it follows all conversations of its speaker and does not follow this one. */
  lacks(conversationId: string): boolean;
  follow(conversationId: string): void;
  close(): void;
  /** Closes it from this side, and says so. */
  end(): void;
};

type Options = {
  server: ServerContext;
  limits: StreamLimits;
  mailbox: Mailbox;
  channels: LiveTails;
  sink: StreamSink;
  onClosed: () => void;
};

export function openViewer(options: Options, request: ViewerRequest): Viewer {
  return "cursor" in request ? openWide(options, request) : new ConversationViewer(options, request);
}

type ConversationRequest = Extract<ViewerRequest, { conversation: string }>;

/** A class because there is one for each viewer: thousands of them share its functions. */
class ConversationViewer implements Viewer {
  readonly #options: Options;
  readonly #request: ConversationRequest;
  readonly #gate: Backpressure;
  /** Until it may see something of the conversation. */
  #stopWaiting: (() => void) | undefined;
  #reading: LogReader | undefined;
  #isClosed = false;

  constructor(options: Options, request: ConversationRequest) {
    const { server, limits, sink } = options;
    this.#options = options;
    this.#request = request;
    this.#gate = createBackpressure(sink, limits, server.clock, () => this.#giveUp());
    this.#stopWaiting = server.notifier.watch(request.conversation, () => this.#look());
    this.#look();
  }

  draft(draft: Draft, bytes: () => Buffer): void {
    const { sink, limits } = this.#options;
    if (draft.conversation === this.#request.conversation) showDraft(sink, limits, draft, bytes);
  }

  checkMail(): void {}

  lacks(): boolean {
    return false;
  }

  follow(): void {}

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWaiting?.();
    this.#reading?.stop();
    this.#gate.close();
    this.#options.onClosed();
  }

  end(): void {
    end(this.#options.sink, () => this.close(), `resume from seq ${this.#seq()}`);
  }

  /** A speaker who may see nothing of it waits silently, and no log is read for it. */
  #look(): void {
    const { conversation, speaker } = this.#request;
    isKnownIn(this.#options.server, conversation, speaker)
      .then((isKnown) => isKnown && this.#begin())
      .catch((error: unknown) => this.#fail(error));
  }

  #begin(): void {
    if (this.#isClosed || this.#reading !== undefined) return;
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const { server, channels, sink } = this.#options;
    const { conversation: conversationId, speaker, after, isBrief } = this.#request;
    const ports = { store: server.store, channels, backpressure: this.#gate };
    const show = (bytes: Buffer, seq: number) => sink.event(bytes, { seq });
    const onGone = () => this.#gone();
    const about = { conversationId, speaker, after, isBrief, show, onGone };
    this.#reading = startReading({ ...ports, ...about }, (error) => this.#fail(error));
  }

  #seq(): number {
    return this.#reading?.seq() ?? this.#request.after;
  }

  #gone(): void {
    this.close();
    this.#options.sink.cut("gone", "you are not in this conversation any more");
  }

  #giveUp(): void {
    this.#options.server.metrics.slowReaderCut();
    this.#options.sink.cut("slow", `slow reader, resume from seq ${this.#seq()}`);
    this.close();
  }

  #fail(error: unknown): void {
    fail(this.#options, () => this.close())(error);
  }
}

/** Whether it is there, or ever was entitled to see something. */
async function isKnownIn({ store }: ServerContext, conversation: string, speaker: string): Promise<boolean> {
  const floor = await store.load(conversation);
  if (floor === undefined) return false;
  return seatNamed(floor, speaker) !== undefined || store.hasSeen(conversation, speaker);
}

type AllConversationsRequest = Extract<ViewerRequest, { cursor: Cursor }>;

function openWide(options: Options, { speaker, cursor: given }: AllConversationsRequest): Viewer {
  const { server, limits, mailbox, sink } = options;
  const cursor = new Map(given);
  const readings = new Map<string, LogReader>();
  const backpressure = createBackpressure(sink, limits, server.clock, () => {
    server.metrics.slowReaderCut();
    sink.cut("slow", "slow reader, resume from the last id");
    close();
  });
  const onError = fail(options, () => close());
  let [isClosed, isHeldUp] = [false, false];
  const close = once(() => {
    isClosed = true;
    for (const reading of readings.values()) reading.stop();
    backpressure.close();
    options.onClosed();
  });
  const isFull = () => isClosed || readings.size >= limits.conversationsMax;
  const lacks = (conversationId: string) => !isFull() && !readings.has(conversationId);
  const follow = (conversationId: string) => {
    if (!lacks(conversationId)) return;
    const key = keyOfConversation(conversationId);
    const show = (bytes: Buffer, seq: number) => {
      cursor.set(key, seq);
      sink.event(bytes, { cursor: writeCursor(cursor) });
    };
    const after = cursor.get(key) ?? 0;
    const ports = { store: server.store, channels: options.channels, backpressure };
    readings.set(conversationId, startReading({ ...ports, conversationId, speaker, after, show }, onError));
  };
  const checkMail = () => {
    for (const { number, bytes } of mailbox.since(speaker, cursor.get(relayedKey) ?? 0)) {
      if (isClosed || isHeldUp) return;
      if (backpressure.isShut()) {
        isHeldUp = true;
        const goOn = () => {
          isHeldUp = false;
          checkMail();
        };
        backpressure.opened().then(goOn).catch(onError);
        return;
      }
      cursor.set(relayedKey, number);
      sink.event(bytes, { cursor: writeCursor(cursor) });
    }
  };
  // Not before the opener holds it: a reader may be cut off by what waits for it.
  queueMicrotask(checkMail);
  followAll(server, speaker, { isFull, follow }).catch(onError);
  const draft: Viewer["draft"] = (one, bytes) => showDraft(sink, limits, one, bytes);
  return { draft, checkMail, lacks, follow, close, end: () => end(sink, close, "resume from the last id") };
}

const pageMax = 100;

async function followAll(
  { store }: ServerContext,
  speaker: string,
  { isFull, follow }: { isFull: () => boolean; follow: (conversationId: string) => void },
): Promise<void> {
  for (let after = ""; ; ) {
    const page = await store.list({ after, limit: pageMax, speaker });
    for (const { id } of page) follow(id);
    const last = page.at(-1)?.id;
    if (last === undefined || page.length < pageMax || isFull()) return;
    after = last;
  }
}

function end(sink: StreamSink, close: () => void, advice: string): void {
  close();
  sink.cut("closing", `the floor is closing, ${advice}`);
}

/** Best effort: a reader that does not keep up gets no words, but hears that they ended. */
function showDraft(sink: StreamSink, limits: StreamLimits, draft: Draft, bytes: () => Buffer): void {
  if (draft.end !== undefined || sink.bufferedBytes() <= limits.bufferedBytesHigh) sink.draft(draft, bytes);
}

function fail({ server, sink }: Options, close: () => void): (error: unknown) => void {
  return (error) => {
    server.onError(error);
    sink.cut("failed", "the floor cannot read this log now, try again");
    close();
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
