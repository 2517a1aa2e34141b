import { seatNamed } from "@plenary/floor";
import type { ProcessContext, ReceivingContext, StorageContext } from "../context.ts";
import type { Draft } from "../delivery/drafts.ts";
import type { StreamLimits } from "../limits.ts";
import { type Backpressure, createBackpressure, type StreamSink } from "./backpressure.ts";
import { type Cursor, keyOfConversation, relayedKey, writeCursor } from "./cursor.ts";
import type { LiveTails } from "./live-tail.ts";
import { LogReader } from "./log-reader.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ViewerRequest } from "./query.ts";
import { SharedDocument } from "./shared-document.ts";

export type Viewer = {
  draft(draft: Draft, bytes: () => Buffer): void;
  checkMail(): void;
  /** True when it follows all conversations of its speaker and does not follow this one. */
  lacks(conversationId: string): boolean;
  follow(conversationId: string): void;
  close(): void;
  /** Closes it because the floor closes, with advice for the client. */
  end(): void;
};

type Options = {
  server: ProcessContext & StorageContext & ReceivingContext;
  limits: StreamLimits;
  mailbox: Mailbox;
  liveTails: LiveTails;
  sink: StreamSink;
  onClosed: () => void;
};

export function openViewer(options: Options, request: ViewerRequest): Viewer {
  return "cursor" in request ? openAllConversations(options, request) : new ConversationViewer(options, request);
}

type ConversationRequest = Extract<ViewerRequest, { conversation: string }>;

/** A class: thousands of viewers share its functions. */
class ConversationViewer implements Viewer {
  readonly #options: Options;
  readonly #request: ConversationRequest;
  readonly #backpressure: Backpressure;
  /** Set until the speaker may see something of the conversation. */
  #stopWaiting: (() => void) | undefined;
  #reader: LogReader | undefined;
  #isClosed = false;

  constructor(options: Options, request: ConversationRequest) {
    const { server, limits, sink } = options;
    this.#options = options;
    this.#request = request;
    this.#backpressure = createBackpressure(sink, limits, server.clock, () => this.#disconnectSlow());
    this.#stopWaiting = server.notifier.watch(request.conversation, () => this.#startIfVisible());
    this.#startIfVisible();
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
    this.#reader?.stop();
    this.#backpressure.close();
    this.#options.onClosed();
  }

  end(): void {
    end(this.#options.sink, () => this.close(), `resume from seq ${this.#seq()}`);
  }

  /** The stream of a speaker that may see nothing stays open without events, and reads no log. */
  #startIfVisible(): void {
    const { conversation, speaker } = this.#request;
    isKnownIn(this.#options.server, conversation, speaker)
      .then((isKnown) => isKnown && this.#start())
      .catch((error: unknown) => this.#fail(error));
  }

  #start(): void {
    if (this.#isClosed || this.#reader !== undefined) return;
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const { server, liveTails, sink } = this.#options;
    const { conversation: conversationId, speaker, after, isBrief } = this.#request;
    const show = (document: SharedDocument, seq: number) => sink.event(document, seq);
    const onGone = () => this.#gone();
    const ports = { log: server.log, liveTails, backpressure: this.#backpressure, show, onGone };
    this.#reader = new LogReader({ ...ports, conversationId, speaker, after, isBrief }, (error) => this.#fail(error));
  }

  #seq(): number {
    return this.#reader?.seq() ?? this.#request.after;
  }

  #gone(): void {
    this.close();
    this.#options.sink.cut("gone", "you are not in this conversation any more");
  }

  #disconnectSlow(): void {
    this.#options.server.metrics.slowReaderCut();
    this.#options.sink.cut("slow", `slow reader, resume from seq ${this.#seq()}`);
    this.close();
  }

  #fail(error: unknown): void {
    fail(this.#options, () => this.close())(error);
  }
}

/** Whether the speaker has a seat, or could ever see an entry. */
async function isKnownIn({ log, lookups }: StorageContext, conversation: string, speaker: string): Promise<boolean> {
  const floor = await log.load(conversation);
  if (floor === undefined) return false;
  return seatNamed(floor, speaker) !== undefined || lookups.hasSeen(conversation, speaker);
}

type AllConversationsRequest = Extract<ViewerRequest, { cursor: Cursor }>;

function openAllConversations(options: Options, { speaker, cursor: given }: AllConversationsRequest): Viewer {
  const { server, limits, mailbox, sink } = options;
  const cursor = new Map(given);
  const readers = new Map<string, LogReader>();
  const backpressure = createBackpressure(sink, limits, server.clock, () => {
    server.metrics.slowReaderCut();
    sink.cut("slow", "slow reader, resume from the last id");
    close();
  });
  const onError = fail(options, () => close());
  let [isClosed, isMailPaused] = [false, false];
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const reader of readers.values()) reader.stop();
    backpressure.close();
    options.onClosed();
  };
  const isFull = () => isClosed || readers.size >= limits.conversationsMax;
  const lacks = (conversationId: string) => !isFull() && !readers.has(conversationId);
  const follow = (conversationId: string) => {
    if (!lacks(conversationId)) return;
    const key = keyOfConversation(conversationId);
    const show = (document: SharedDocument, seq: number) => {
      cursor.set(key, seq);
      sink.event(document, writeCursor(cursor));
    };
    const after = cursor.get(key) ?? 0;
    const ports = { log: server.log, liveTails: options.liveTails, backpressure };
    readers.set(conversationId, new LogReader({ ...ports, conversationId, speaker, after, show }, onError));
  };
  const checkMail = () => {
    for (const { number, bytes } of mailbox.since(speaker, cursor.get(relayedKey) ?? 0)) {
      if (isClosed || isMailPaused) return;
      if (backpressure.isPaused()) {
        isMailPaused = true;
        const resume = () => {
          isMailPaused = false;
          checkMail();
        };
        backpressure.resumed().then(resume).catch(onError);
        return;
      }
      cursor.set(relayedKey, number);
      sink.event(new SharedDocument(undefined, bytes), writeCursor(cursor));
    }
  };
  // After this function has returned: a flood of stored envelopes may close the viewer at once.
  queueMicrotask(checkMail);
  followAll(server, speaker, { isFull, follow }).catch(onError);
  const draft: Viewer["draft"] = (piece, bytes) => showDraft(sink, limits, piece, bytes);
  return { draft, checkMail, lacks, follow, close, end: () => end(sink, close, "resume from the last id") };
}

const pageMax = 100;

async function followAll(
  { log }: StorageContext,
  speaker: string,
  { isFull, follow }: { isFull: () => boolean; follow: (conversationId: string) => void },
): Promise<void> {
  for (let after = ""; ; ) {
    const page = await log.list({ after, limit: pageMax, speaker });
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

/** Best effort: a slow client gets the end of a draft, but not its text. */
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
