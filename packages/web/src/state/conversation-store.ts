import type { StreamFrame } from "@plenary/client";
import type { TranscriptEntry as Entry } from "@plenary/transcript";
import { type Client, errorText, type RequestError } from "../api/client.ts";
import { type LiveState, openLiveConnection } from "../api/live-connection.ts";
import { createDrafts } from "./drafts.ts";
import { ConversationLog } from "./log.ts";
import { createOutbox } from "./outbox.ts";
import { createPublisher, createThrottle } from "./throttle.ts";
import type { ConversationState } from "./types.ts";

/** Interval for polling the view: presence is not in the log, and a connection may be dead without a sign. */
const lookAgainMs = 15_000;
const lookPace = { afterMs: 60, restMs: 200 };

type Options = { client: Client; id: string; me: string };

/** State of one open conversation: the end of its log, then live entries. */
export class ConversationStore {
  readonly outbox: ReturnType<typeof createOutbox>;
  readonly #options: Options;
  readonly #log: ConversationLog;
  readonly #live: ReturnType<typeof openLiveConnection>;
  readonly #drafts = createDrafts();
  readonly #publisher = createPublisher(() => this.#state());
  readonly #looking = createThrottle(() => this.#look(), lookPace);
  readonly #stopWatching: () => void;
  #connection: ConversationState["connection"] = "loading";
  #problem: string | undefined;
  #liveSinceMs = 0;

  static async open(options: Options): Promise<ConversationStore> {
    return new ConversationStore(options, await ConversationLog.open(options.client, options.id, options.me));
  }

  private constructor(options: Options, log: ConversationLog) {
    const { client, id, me } = options;
    this.#options = options;
    this.#log = log;
    const onChange = () => this.#publisher.publish();
    const isConvened = () => log.view.assignedFloorRoles.convener?.[0] !== undefined;
    this.outbox = createOutbox({ client, conversation: id, me, onChange, isConvened });
    this.#live = openLiveConnection({
      client,
      conversation: id,
      speaker: me,
      after: () => log.seq,
      onFrame: (frame) => this.#take(frame),
      onState: (state, problem) => this.#change(state, problem),
    });
    this.#stopWatching = watchBrowser(this.#live.reconnect, this.refresh);
  }

  readonly get = (): ConversationState => this.#publisher.get();

  readonly subscribe = (listener: () => void): (() => void) => this.#publisher.subscribe(listener);

  /** Reloads the conversation's view. */
  readonly refresh = (): void => this.#looking.ask();

  /** A former conversant gets no view, so polling stops before `send` says goodbye. */
  async leave(send: () => Promise<void>): Promise<void> {
    this.#log.isHere = false;
    try {
      await send();
    } catch (problem) {
      this.#log.isHere = true;
      this.refresh();
      throw problem;
    }
  }

  readonly loadOlder = async (): Promise<void> => {
    await this.#log.readOlder();
    this.#publisher.publish();
  };

  close(): void {
    this.#stopWatching();
    this.#looking.stop();
    this.#live.close();
    this.outbox.close();
  }

  #state(): ConversationState {
    const { view, transcript, prompts, hasOlder } = this.#log;
    return {
      id: this.#options.id,
      me: this.#options.me,
      connection: this.#connection,
      view,
      prompts,
      hasOlder,
      entries: transcript.entries(),
      lines: transcript.lines(),
      drafts: this.#drafts.all(),
      awaited: view.awaited ?? [],
      unsent: this.outbox.unsent(),
      identifications: transcript.identifications(),
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }

  #take(frame: StreamFrame): void {
    if ("draft" in frame) this.#drafts.take(frame.draft);
    else this.#takeEntry(frame.entry);
    this.#publisher.publish();
  }

  #takeEntry(entry: Entry): void {
    if (!this.#log.add(entry)) return;
    this.refresh();
    if (entry.kind === "refused" && entry.sender === this.#options.me) this.#refused(entry);
    if (entry.kind === "role" && entry.role === "convener") this.outbox.convenerChanged();
    const isRevealed = entry.kind === "revealed" && entry.speakerUri === this.#options.me;
    // Revealed entries become readable, and erased ones must disappear from the screen.
    if (isRevealed || entry.kind === "erased") this.#readAgain();
    if (entry.kind !== "event" || entry.event.eventType !== "utterance") return;
    const { id, speakerUri } = entry.event.parameters.dialogEvent;
    this.#drafts.finish(entry.sender, id);
    // Senders choose ids freely, so only own utterances confirm own ones. A convener relays with the original
    // speakerUri.
    if ([entry.sender, speakerUri].includes(this.#options.me)) this.outbox.seen(id);
  }

  #refused({ event, problem }: Entry & { kind: "refused" }): void {
    if (event.eventType === "utterance") this.outbox.refused(event.parameters.dialogEvent.id, problem);
  }

  #readAgain(): void {
    const read = async () => {
      await this.#log.look();
      await this.#log.readEnd();
      this.#publisher.publish();
    };
    read().catch(() => undefined); // reopening the conversation reads it
  }

  #change(state: LiveState, problem: RequestError | undefined): void {
    this.#connection = state === "reconnecting" && !navigator.onLine ? "offline" : state;
    this.#problem = problem && errorText(problem);
    if (state === "live") {
      this.#liveSinceMs = Date.now();
      this.outbox.flush();
      this.refresh();
    } else this.#drafts.clear();
    this.#publisher.publish();
  }

  async #look(): Promise<void> {
    if (!this.#log.isHere) return;
    const before = this.#log.seq;
    try {
      await this.#log.look();
    } catch {
      return; // the live connection reports outages, and polling repeats
    }
    const { seq, view } = this.#log;
    this.#publisher.publish();
    // The log is ahead but no frames arrive: the connection is dead.
    const isBehind = this.#connection === "live" && view.seq > seq && seq === before;
    if (isBehind && Date.now() - this.#liveSinceMs > lookAgainMs) this.#live.reconnect();
  }
}

/**
 * Calls `onLook` regularly while the page is visible, and `onNetwork` when the network changes: connections may be dead,
 * but a local server may still be reachable.
 */
function watchBrowser(onNetwork: () => void, onLook: () => void): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  const look = () => document.visibilityState === "visible" && onLook();
  const timer = setInterval(look, lookAgainMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  for (const type of ["online", "offline"]) addEventListener(type, onNetwork, { signal });
  document.addEventListener("visibilitychange", look, { signal });
  return () => watch.abort();
}
