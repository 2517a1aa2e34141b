import { foldUri } from "@plenary/protocol";
import { createQuestions, dialogEventIn, type Line, lineOf, type Questions } from "@plenary/transcript";
import type { Foundling } from "../discover/discover.ts";
import type { Caller } from "../floor/client.ts";
import {
  type Conversation,
  type ConversationView,
  conversationAt,
  type Entry,
  type Frame,
  type KnownAgent,
} from "../floor/conversation-client.ts";
import { createMoveNotice } from "./commands/address-moves.ts";
import { createDrafts } from "./drafts.ts";
import { follow, type Live, type LiveState } from "./follow-log.ts";
import { createLineQueue } from "./line-queue.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createPeople, type People } from "./participants.ts";

export type Finding = { need: string; found: readonly Foundling[] };

/** What shows a conversation: a terminal, plain lines, or lines of JSON. */
export interface Screen {
  /** Something of the log, once and for all. */
  print(line: Line, people: People): void;
  /** An entry as it came, for machines. */
  record?(entry: Entry): void;
  /** What a command has to say, or what is in the way. */
  tell(text: string, tone?: "plain" | "quiet" | "warning" | "problem"): void;
  /** A command that will be answered, so that the answer is not without its question. */
  echo?(text: string): void;
  /** Something that is shown live has changed. */
  refresh(): void;
  /** Words that were not taken, for whoever typed them. */
  giveBack(text: string): void;
}

/** Presence is in no log, and a connection may be dead without knowing it: so often the floor is asked. */
const lookAgainMs = 15_000;
const lookRestMs = 150;
/** What is shown of a conversation that goes on. */
const endMax = 200;

/** One conversation as a person at a terminal follows it: the end of its log, then what comes. */
export class Talk {
  readonly conversation: Conversation;
  readonly people: People;
  readonly questions: Questions;
  readonly outbox: Outbox;
  readonly drafts = createDrafts();
  view: ConversationView;
  connection: LiveState = "reconnecting";
  /** Since when there is no connection. */
  awaySinceMs = Date.now();
  agents: readonly KnownAgent[] = [];
  /** Who was found last, and for what. */
  finding: Finding | undefined;
  readonly #screen: Screen;
  readonly #noticeMoves: ReturnType<typeof createMoveNotice>;
  readonly #lines: ReturnType<typeof createLineQueue>;
  #live: Live | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;
  #wantsLook = false;
  readonly #caller: Caller;
  #earlier: Entry[] = [];
  #seq = 0;
  #listeners: (() => void)[] = [];
  #isClosed = false;
  /** In which something of this person was refused last. */
  #refusedTurn: string | undefined;

  static async open(caller: Caller, id: string, screen: Screen): Promise<Talk> {
    const conversation = conversationAt(caller, id);
    const view = await conversation.view();
    const first = Math.max(view.seq - endMax, 0);
    const entries = await conversation.log(first, endMax);
    const agents = await conversation.knownAgents().catch(() => []); // they are only offered when somebody types
    const talk = new Talk(caller, conversation, view, screen);
    talk.#seq = first;
    talk.agents = agents;
    talk.#earlier = entries;
    return talk;
  }

  /** Shows what was said before, then what comes. */
  begin(): void {
    for (const entry of this.#earlier.splice(0)) this.#takeEntry(entry);
    this.#live = follow({
      ...{ caller: this.#caller, conversation: this.conversation.id },
      after: () => this.#seq,
      onFrame: (frame) => this.#take(frame),
      onState: (state, problem) => this.#connect(state, problem),
    });
    this.#clock = setInterval(() => this.look(), lookAgainMs);
  }

  private constructor(caller: Caller, conversation: Conversation, view: ConversationView, screen: Screen) {
    this.conversation = conversation;
    this.view = view;
    this.#screen = screen;
    this.#noticeMoves = createMoveNotice((text) => screen.tell(text, "warning"));
    this.#caller = caller;
    this.people = createPeople(conversation.me);
    this.people.look(view.conversants);
    this.questions = createQuestions(conversation.me, this.people);
    const isNamed = (speakerUri: string) => this.people.isNamed(speakerUri);
    const print = (line: Line) => this.#show(line.seq, () => screen.print(line, this.people));
    this.#lines = createLineQueue({ isNamed, print });
    this.outbox = createOutbox({
      conversation,
      onChange: () => this.#change(),
      onRefused: (typed, problem) => this.#refused(typed, problem),
    });
  }

  get floorUrl(): string {
    return this.#caller.url();
  }

  /** Somebody is at work, or says something right now. */
  get isBusy(): boolean {
    return this.drafts.all().length > 0 || (this.view.awaited ?? []).length > 0;
  }

  /** Nothing is on its way, in either direction, as far as the floor knows. */
  async isIdle(): Promise<boolean> {
    if (this.outbox.unsent().length > 0 || this.connection !== "live") return this.connection === "gone";
    await this.lookNow();
    return this.#seq >= this.view.seq && !this.isBusy && this.#lines.isEmpty();
  }

  /** Settles at the next change of anything. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  /** Asks the floor who is here now, soon. */
  look(): void {
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
      await this.lookNow();
      await new Promise((resolve) => setTimeout(resolve, lookRestMs));
    }
  }

  /** Asks the floor at once who is here: lines of the log come sooner than the view that `look` keeps. */
  async lookNow(): Promise<void> {
    if (this.connection === "gone") return;
    try {
      const view = await this.conversation.view();
      if (view.seq < this.view.seq || this.#isClosed) return;
      this.view = view;
      this.people.look(view.conversants);
      this.#noticeMoves(view);
      this.#change();
    } catch {
      return; // the stream says whether the floor is away, and this is asked again
    }
  }

  #take(frame: Frame): void {
    if ("draft" in frame) this.drafts.take(frame.draft);
    else this.#takeEntry(frame.entry);
    this.#change();
  }

  /** What strangers say may be of any shape: one that cannot be shown costs itself, and never the chat. */
  #show(seq: number, deed: () => void): void {
    try {
      deed();
    } catch {
      this.#screen.tell(`Entry ${seq} could not be shown: /raw ${seq} has it.`, "warning");
    }
  }

  #takeEntry(entry: Entry): void {
    // A cut may bring something twice.
    if (!Number.isSafeInteger(entry?.seq) || entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    this.#show(entry.seq, () => this.#tell(entry));
    this.look();
  }

  #tell(entry: Entry): void {
    this.#screen.record?.(entry);
    this.people.hear(entry);
    const isMine = "sender" in entry && foldUri(entry.sender) === foldUri(this.conversation.me);
    if (entry.kind === "event" && entry.event.eventType === "utterance") {
      const { id, speakerUri } = dialogEventIn(entry);
      this.drafts.finish(entry.sender, id);
      // A convener that kept my words says them as mine.
      if (isMine || foldUri(speakerUri) === foldUri(this.conversation.me)) this.outbox.seen(id);
    }
    if (entry.kind === "role" && entry.role === "convener") this.outbox.released();
    if (this.#isToldAlready(entry)) return;
    if (entry.kind === "event" && entry.event.eventType === "bye") this.questions.drop(entry.sender);
    if (entry.kind === "event" && entry.event.eventType === "uninvite") this.questions.drop(entry.target ?? "");
    const line = lineOf(entry, this.#caller.floorUri);
    if (line?.kind === "utterance") this.questions.take(line);
    if (line !== undefined) this.#lines.add(line);
  }

  /** Whoever said it here is told by what comes back, and needs no line of the log for it. */
  #isToldAlready(entry: Entry): boolean {
    if (entry.kind === "refused" && entry.event.eventType === "utterance") {
      const { id } = entry.event.parameters.dialogEvent;
      this.outbox.seen(id);
      if (this.outbox.isOwn(id)) this.#refusedTurn = entry.turn;
      return this.outbox.isOwn(id);
    }
    return (
      entry.kind === "event" && entry.isNotice === true && entry.turn !== undefined && entry.turn === this.#refusedTurn
    );
  }

  #refused(typed: string, problem: unknown): void {
    const why = problem instanceof Error ? problem.message : String(problem);
    this.#screen.tell(`Nobody heard it: ${why.replace("send requestFloor", "/request asks for it")}`, "problem");
    this.#screen.giveBack(typed);
  }

  #connect(state: LiveState, problem: unknown): void {
    const isNews = this.connection !== state;
    if (isNews) this.awaySinceMs = Date.now();
    this.connection = state;
    if (state === "live") {
      this.outbox.flush();
      this.look();
    } else this.drafts.clear();
    if (state === "gone" && isNews) {
      const why = problem instanceof Error ? problem.message : "You are not in this conversation any more.";
      this.#screen.tell(why, "warning");
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
