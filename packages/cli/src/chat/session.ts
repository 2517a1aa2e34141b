import type {
  Conversation,
  ConversationView,
  Entry,
  Floor,
  FoundAgent,
  KnownAgent,
  LiveConversation,
  Words,
} from "@plenary/client";
import { type Line, lineOf, type Question } from "@plenary/transcript";
import { messageOf } from "../errors.ts";
import { createMoveNotice } from "./commands/address-moves.ts";
import { createLineQueue } from "./line-queue.ts";
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

/** One conversation as a person follows it: the end of its log, then new entries. */
export class ChatSession {
  readonly floor: Floor;
  readonly conversation: Conversation;
  readonly participants: Participants;
  view: ConversationView;
  connection: "live" | "reconnecting" | "gone" = "reconnecting";
  /** When the connection was lost. */
  awaySinceMs = Date.now();
  agents: readonly KnownAgent[] = [];
  /** The last result of /discover. */
  discovery: DiscoveryResult | undefined;
  readonly #screen: Screen;
  readonly #live: LiveConversation;
  readonly #noticeMoves: ReturnType<typeof createMoveNotice>;
  readonly #lines: ReturnType<typeof createLineQueue>;
  readonly #skipped = new WeakSet<Question>();
  /** The last entry that was shown. */
  #seq = 0;
  #listeners: (() => void)[] = [];
  #isClosed = false;
  /** The turn of this person's last refused utterance. */
  #refusedTurn: string | undefined;

  static async open(floor: Floor, conversation: Conversation, screen: Screen): Promise<ChatSession> {
    const live = conversation.live();
    await live.loaded;
    const { problem } = live.snapshot();
    if (problem !== undefined) throw problem;
    const session = new ChatSession(floor, conversation, live, screen);
    await session.readAgents();
    return session;
  }

  /** Shows earlier entries, then new ones. */
  start(): void {
    this.#live.subscribe(() => this.#update());
    this.#update();
  }

  private constructor(floor: Floor, conversation: Conversation, live: LiveConversation, screen: Screen) {
    this.floor = floor;
    this.conversation = conversation;
    this.view = live.snapshot().view;
    this.#live = live;
    this.#screen = screen;
    this.#noticeMoves = createMoveNotice((text) => screen.showMessage(text, "warning"));
    this.participants = createParticipants(conversation.me);
    this.participants.setPresent(this.view.conversants);
    const isNamed = (speakerUri: string) => this.participants.isNamed(speakerUri);
    const print = (line: Line) => this.#show(line.seq, () => screen.printLine(line, this.participants));
    this.#lines = createLineQueue({ isNamed, print });
  }

  /** Only needed for names: without them an address can be given. */
  async readAgents(): Promise<void> {
    this.agents = await this.floor.agents().then(
      ({ agents }) => agents,
      () => this.agents,
    );
  }

  get drafts() {
    return this.#live.snapshot().drafts;
  }

  unsent() {
    return this.conversation.outbox.unsent();
  }

  /** The newest open question before its deadline. */
  question(): Question | undefined {
    const nowMs = Date.now();
    return this.#live
      .snapshot()
      .questions.findLast((one) => !this.#skipped.has(one) && (one.untilMs === undefined || nowMs < one.untilMs));
  }

  skip(question: Question): void {
    this.#skipped.add(question);
  }

  /** Sends it, through disconnects too. A refused one returns to the input field. */
  say(words: Words): void {
    this.conversation.outbox.say(words).catch((problem: unknown) => this.#refused(words, messageOf(problem)));
  }

  /** An agent is composing or has a pending reply. */
  get isBusy(): boolean {
    return this.drafts.length > 0 || (this.view.awaited ?? []).length > 0;
  }

  /** Nothing is pending in either direction. */
  async isIdle(): Promise<boolean> {
    if (this.unsent().length > 0 || this.connection !== "live") return this.connection === "gone";
    await this.refreshView();
    return this.#seq >= this.view.seq && !this.isBusy && this.#lines.isEmpty();
  }

  /** Resolves at the next change of the session. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  /** Refreshes the view in the background. */
  refreshViewSoon(): void {
    this.#live.refresh();
  }

  close(): void {
    this.#isClosed = true;
    this.#live.close();
    this.#lines.close();
  }

  /** Refreshes the view now. */
  async refreshView(): Promise<void> {
    if (this.connection === "gone") return;
    const view = await this.conversation.view().catch(() => undefined); // the live model reports the disconnect
    if (view === undefined || this.#isClosed) return;
    this.#see(view);
    this.#change();
  }

  /** Entries arrive before the polled view changes. */
  #see(view: ConversationView): void {
    if (view.seq < this.view.seq) return;
    this.view = view;
    this.participants.setPresent(view.conversants);
    this.#noticeMoves(view);
  }

  #update(): void {
    if (this.#isClosed) return;
    const { view, entries, unsent } = this.#live.snapshot();
    this.#see(view);
    const known = entries.findLastIndex(({ seq }) => seq <= this.#seq);
    for (const entry of entries.slice(known + 1)) {
      this.#seq = entry.seq;
      this.#show(entry.seq, () => this.#tell(entry));
    }
    for (const { state, problem, ...words } of unsent) {
      if (state !== "refused") continue;
      this.conversation.outbox.discard(words.id);
      this.#refused(words, problem?.message ?? "");
    }
    this.#connect();
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

  #tell(entry: Entry): void {
    this.#screen.printEntry?.(entry);
    this.participants.addEntry(entry);
    if (this.#isToldAlready(entry)) return;
    const line = lineOf(entry, this.floor.floorUri);
    if (line !== undefined) this.#lines.add(line);
  }

  /** A refused utterance of this chat was already reported in the response. */
  #isToldAlready(entry: Entry): boolean {
    if (entry.kind === "refused" && entry.event.eventType === "utterance") {
      const isOwn = this.conversation.outbox.isOwn(entry.event.parameters.dialogEvent.id);
      if (isOwn) this.#refusedTurn = entry.turn;
      return isOwn;
    }
    return (
      entry.kind === "event" && entry.isNotice === true && entry.turn !== undefined && entry.turn === this.#refusedTurn
    );
  }

  #refused(words: Words, problem: string): void {
    if (this.#isClosed) return;
    this.#screen.showMessage(`Not sent: ${problem.replace("send requestFloor", "/request asks for it")}`, "problem");
    this.#screen.restoreInput(this.#typed(words));
  }

  /** The input that would send it again: a whisper must not become public. */
  #typed({ text, to, isWhisper, features }: Words): string {
    if (features?.interactionReply !== undefined) return `/answer ${text}`;
    return isWhisper && to !== undefined ? `/whisper ${this.participants.nameOf(to)} ${text}` : text;
  }

  #connect(): void {
    const { connection, problem } = this.#live.snapshot();
    const state = connection === "loading" ? "reconnecting" : connection;
    if (this.connection === state) return;
    this.awaySinceMs = Date.now();
    this.connection = state;
    if (state !== "gone") return;
    const why = problem === undefined ? "You are no longer in this conversation." : messageOf(problem);
    this.#screen.showMessage(why, "warning");
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
