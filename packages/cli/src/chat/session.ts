import { foldUri } from "@plenary/protocol";
import { createQuestions, type Line, lineOf, type Questions, validDialogEvent } from "@plenary/transcript";
import type { FoundAgent } from "../discover/discover.ts";
import { messageOf } from "../errors.ts";
import type { FloorClient } from "../floor/client.ts";
import {
  type ConversationClient,
  type ConversationView,
  conversationClient,
  type Entry,
  type KnownAgent,
  type StreamFrame,
} from "../floor/conversation-client.ts";
import { createMoveNotice } from "./commands/address-moves.ts";
import { createDrafts } from "./drafts.ts";
import { type ConnectionState, followLog, type LogFollower } from "./follow-log.ts";
import { createLineQueue } from "./line-queue.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createParticipants, type Participants } from "./participants.ts";

export type DiscoveryResult = { need: string; found: readonly FoundAgent[] };

/** Shows a conversation: terminal, plain lines, or JSON lines. */
export interface Screen {
  /** A line of the transcript. */
  printLine(line: Line, participants: Participants): void;
  /** A log entry, for JSON output. */
  printEntry?(entry: Entry): void;
  /** The output of a command, or a problem. */
  showMessage(text: string, tone?: "plain" | "quiet" | "warning" | "problem"): void;
  /** The command itself, shown above its output. */
  echo?(text: string): void;
  /** The live region changed. */
  refresh(): void;
  /** Puts text that was not sent back into the input field. */
  restoreInput(text: string): void;
}

/** The view is polled: presence is not in the log, and a dead connection may go unnoticed. */
const lookAgainMs = 15_000;
const lookRestMs = 150;
/** How many entries of an existing conversation are shown. */
const endMax = 200;

/** One conversation as a person follows it: the end of its log, then new entries. */
export class ChatSession {
  readonly conversation: ConversationClient;
  readonly participants: Participants;
  readonly questions: Questions;
  readonly outbox: Outbox;
  readonly drafts = createDrafts();
  view: ConversationView;
  connection: ConnectionState = "reconnecting";
  /** When the connection was lost. */
  awaySinceMs = Date.now();
  agents: readonly KnownAgent[] = [];
  /** The last result of /discover. */
  discovery: DiscoveryResult | undefined;
  readonly #screen: Screen;
  readonly #noticeMoves: ReturnType<typeof createMoveNotice>;
  readonly #lines: ReturnType<typeof createLineQueue>;
  #live: LogFollower | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;
  #wantsLook = false;
  readonly #client: FloorClient;
  #earlier: Entry[] = [];
  #seq = 0;
  #listeners: (() => void)[] = [];
  #isClosed = false;
  /** The turn of this person's last refused utterance. */
  #refusedTurn: string | undefined;

  static async open(client: FloorClient, id: string, screen: Screen): Promise<ChatSession> {
    const conversation = conversationClient(client, id);
    const view = await conversation.view();
    const first = Math.max(view.seq - endMax, 0);
    const entries = await conversation.log(first, endMax);
    const agents = await conversation.knownAgents().catch(() => []); // only needed for completion
    const session = new ChatSession(client, conversation, view, screen);
    session.#seq = first;
    session.agents = agents;
    session.#earlier = entries;
    return session;
  }

  /** Shows earlier entries, then follows new ones. */
  start(): void {
    for (const entry of this.#earlier.splice(0)) this.#takeEntry(entry);
    this.#live = followLog({
      client: this.#client,
      conversation: this.conversation.id,
      after: () => this.#seq,
      onFrame: (frame) => this.#take(frame),
      onState: (state, problem) => this.#connect(state, problem),
    });
    this.#clock = setInterval(() => this.refreshViewSoon(), lookAgainMs);
  }

  private constructor(client: FloorClient, conversation: ConversationClient, view: ConversationView, screen: Screen) {
    this.conversation = conversation;
    this.view = view;
    this.#screen = screen;
    this.#noticeMoves = createMoveNotice((text) => screen.showMessage(text, "warning"));
    this.#client = client;
    this.participants = createParticipants(conversation.me);
    this.participants.setPresent(view.conversants);
    this.questions = createQuestions(conversation.me, this.participants);
    const isNamed = (speakerUri: string) => this.participants.isNamed(speakerUri);
    const print = (line: Line) => this.#show(line.seq, () => screen.printLine(line, this.participants));
    this.#lines = createLineQueue({ isNamed, print });
    this.outbox = createOutbox({
      conversation,
      onChange: () => this.#change(),
      onRefused: (typed, problem) => this.#refused(typed, problem),
    });
  }

  get floorUrl(): string {
    return this.#client.url();
  }

  /** An agent is composing or has a pending reply. */
  get isBusy(): boolean {
    return this.drafts.all().length > 0 || (this.view.awaited ?? []).length > 0;
  }

  /** Nothing is pending in either direction. */
  async isIdle(): Promise<boolean> {
    if (this.outbox.unsent().length > 0 || this.connection !== "live") return this.connection === "gone";
    await this.refreshView();
    return this.#seq >= this.view.seq && !this.isBusy && this.#lines.isEmpty();
  }

  /** Resolves at the next change of the session. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  /** Refreshes the view in the background, at most every `lookRestMs`. */
  refreshViewSoon(): void {
    this.#wantsLook = true;
    this.#looking ??= this.#lookAgain().finally(() => {
      this.#looking = undefined;
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#clock);
    this.#live?.close();
    this.outbox.close();
    this.#lines.close();
  }

  async #lookAgain(): Promise<void> {
    while (this.#wantsLook && !this.#isClosed) {
      this.#wantsLook = false;
      await this.refreshView();
      await new Promise((resolve) => setTimeout(resolve, lookRestMs));
    }
  }

  /** Refreshes the view now. Log entries arrive before the polled view changes. */
  async refreshView(): Promise<void> {
    if (this.connection === "gone") return;
    try {
      const view = await this.conversation.view();
      if (view.seq < this.view.seq || this.#isClosed) return;
      this.view = view;
      this.participants.setPresent(view.conversants);
      this.#noticeMoves(view);
      this.#change();
    } catch {
      return; // the stream reports the disconnect, and the next refresh retries
    }
  }

  #take(frame: StreamFrame): void {
    if ("draft" in frame) this.drafts.take(frame.draft);
    else this.#takeEntry(frame.entry);
    this.#change();
  }

  /** Entries contain untrusted data: one that cannot be shown must not end the chat. */
  #show(seq: number, action: () => void): void {
    try {
      action();
    } catch {
      this.#screen.showMessage(`Entry ${seq} could not be shown: /raw ${seq} shows it.`, "warning");
    }
  }

  #takeEntry(entry: Entry): void {
    // A reconnect may repeat entries.
    if (!Number.isSafeInteger(entry?.seq) || entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    this.#show(entry.seq, () => this.#tell(entry));
    this.refreshViewSoon();
  }

  #tell(entry: Entry): void {
    this.#screen.printEntry?.(entry);
    this.participants.addEntry(entry);
    const isMine = "sender" in entry && foldUri(entry.sender) === foldUri(this.conversation.me);
    if (entry.kind === "event" && entry.event.eventType === "utterance") {
      const { id, speakerUri } = validDialogEvent(entry);
      this.drafts.finish(entry.sender, id);
      // A convener may return a held utterance with its original speakerUri.
      if (isMine || foldUri(speakerUri) === foldUri(this.conversation.me)) this.outbox.confirm(id);
    }
    if (entry.kind === "role" && entry.role === "convener") this.outbox.convenerChanged();
    if (this.#isToldAlready(entry)) return;
    if (entry.kind === "event" && entry.event.eventType === "bye") this.questions.drop(entry.sender);
    if (entry.kind === "event" && entry.event.eventType === "uninvite") this.questions.drop(entry.target ?? "");
    const line = lineOf(entry, this.#client.floorUri);
    if (line?.kind === "utterance") this.questions.take(line);
    if (line !== undefined) this.#lines.add(line);
  }

  /** A refused utterance of this chat was already reported in the response. */
  #isToldAlready(entry: Entry): boolean {
    if (entry.kind === "refused" && entry.event.eventType === "utterance") {
      const { id } = entry.event.parameters.dialogEvent;
      this.outbox.confirm(id);
      if (this.outbox.isOwn(id)) this.#refusedTurn = entry.turn;
      return this.outbox.isOwn(id);
    }
    return (
      entry.kind === "event" && entry.isNotice === true && entry.turn !== undefined && entry.turn === this.#refusedTurn
    );
  }

  #refused(typed: string, problem: unknown): void {
    this.#screen.showMessage(
      `Not sent: ${messageOf(problem).replace("send requestFloor", "/request asks for it")}`,
      "problem",
    );
    this.#screen.restoreInput(typed);
  }

  #connect(state: ConnectionState, problem: unknown): void {
    const isNews = this.connection !== state;
    if (isNews) this.awaySinceMs = Date.now();
    this.connection = state;
    if (state === "live") {
      this.outbox.flush();
      this.refreshViewSoon();
    } else this.drafts.clear();
    if (state === "gone" && isNews) {
      const why = problem instanceof Error ? problem.message : "You are no longer in this conversation.";
      this.#screen.showMessage(why, "warning");
    }
    this.#change();
  }

  #change(): void {
    if (this.#isClosed) return;
    this.#lines.flush();
    this.#screen.refresh();
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
