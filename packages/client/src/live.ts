import { isSameUri } from "@plenary/protocol";
import { createTranscriptLines, lineOf, type TranscriptLines, validDialogEvent } from "@plenary/transcript";
import type { ConversationView, Entry, StreamFrame } from "./contract.ts";
import { createDrafts } from "./drafts.ts";
import type { Follower, FollowerOptions } from "./follow.ts";
import { createPeople, emptyView, isAttendanceOf, openQuestions, takeQuestion, withoutSelf } from "./lines.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";
import type { Outbox } from "./outbox.ts";
import { FloorProblem } from "./problem.ts";
import { createPublisher, watchBrowser } from "./publisher.ts";
import { createPause, type Limits, persist } from "./retry.ts";

/** The parts of a `Conversation` that the model reads. */
type LiveSource = {
  id: string;
  me: string;
  outbox: Outbox;
  isLeaving: boolean;
  view(options: { signal: AbortSignal }): Promise<ConversationView>;
  log(options: { after: number; limit: number; signal: AbortSignal }): Promise<Entry[]>;
  follower(options: { after: number } & Pick<FollowerOptions, "signal" | "onConnection">): Follower;
};
type LiveContext = { limits: Limits; floorUri: string; closed: AbortSignal };

/** Entries that are read at first. */
export const endMax = 200;
/** Entries of one page of `loadOlder`. */
const pageMax = 600;
/** Minimum pause between two reads of the view. */
const restMs = 200;

/** The state of one conversation for a user interface: the end of its log, then everything new, until `close`. */
export class LiveConversation {
  readonly #conversation: LiveSource;
  readonly #context: LiveContext;
  readonly #over = new AbortController();
  readonly #ends: (() => void)[];
  readonly #drafts = createDrafts();
  readonly #people: ReturnType<typeof createPeople>;
  readonly #publisher = createPublisher(() => this.#state());
  #transcript = createTranscriptLines();
  #questions: ReturnType<typeof openQuestions>;
  #follower: Follower | undefined;
  #connection: LiveSnapshot["connection"] = "loading";
  #problem: FloorProblem | undefined;
  #view: ConversationView;
  #first = 0;
  #seq = 0;
  /** False after leaving or removal: the log stays readable, but there is no view any more. */
  #isHere = true;
  #isLooking = false;
  #wantsLook = false;
  /** Settles when the end of the log is loaded, or cannot be. */
  readonly loaded: Promise<void>;

  constructor(conversation: LiveSource, context: LiveContext) {
    this.#conversation = conversation;
    this.#context = context;
    this.#people = createPeople(conversation.me);
    this.#view = { ...emptyView, id: conversation.id };
    this.#questions = openQuestions(conversation.me, [], this.#people, context.floorUri);
    const isConvened = () => this.#view.assignedFloorRoles.convener?.[0] !== undefined;
    const { outbox } = conversation;
    this.#ends = [
      outbox.track({ isConvened }),
      outbox.subscribe(this.#publisher.publish),
      watchBrowser(
        () => this.reconnect(),
        () => this.refresh(),
        context.limits.viewMs,
      ),
    ];
    context.closed.addEventListener("abort", this.close);
    let loaded = () => {};
    this.loaded = new Promise((resolve) => {
      loaded = resolve;
    });
    this.#run(loaded)
      .catch((error: unknown) => this.#gone(error))
      .finally(loaded);
  }

  readonly snapshot = (): LiveSnapshot => this.#publisher.get();

  /** Called at most once per frame of the screen. Returns the end of it. */
  readonly subscribe = (listener: () => void): (() => void) => this.#publisher.subscribe(listener);

  /** Reads the view again. */
  readonly refresh = (): void => {
    this.#wantsLook = true;
    if (this.#isLooking || this.#follower === undefined) return;
    this.#isLooking = true;
    this.#look()
      .catch(() => undefined) // only a closed model ends a pause
      .finally(() => {
        this.#isLooking = false;
      });
  };

  /** Opens a new connection now, for example after the network changed. */
  readonly reconnect = (): void => this.#follower?.reconnect();

  readonly loadOlder = async (): Promise<void> => {
    if (this.#first === 0) return;
    const after = Math.max(this.#first - pageMax, 0);
    const { signal } = this.#over;
    const older = await this.#conversation.log({ after, limit: this.#first - after, signal });
    const [oldest] = entriesOf(this.#transcript);
    this.#first = Math.min(after, this.#first);
    const fresh = older.filter(({ seq }) => oldest === undefined || seq < oldest.seq);
    this.#rebuild([...fresh, ...entriesOf(this.#transcript)]);
  };

  readonly close = (): void => {
    if (this.#over.signal.aborted) return;
    this.#over.abort(new DOMException("the live model is closed", "AbortError"));
    this.#context.closed.removeEventListener("abort", this.close);
    for (const end of this.#ends) end();
  };

  async #run(loaded: () => void): Promise<void> {
    const { limits } = this.#context;
    const { signal } = this.#over;
    const onFailure = (error: unknown) => this.#showProblem(error);
    await persist(() => this.#load(), { limits, signal, forMs: Number.POSITIVE_INFINITY, onFailure });
    this.#showProblem(undefined);
    loaded();
    const onConnection = (state: "live" | "reconnecting") => this.#connect(state);
    this.#follower = this.#conversation.follower({ after: this.#seq, signal, onConnection });
    for await (const frame of this.#follower.frames()) this.#take(frame);
    this.#gone(undefined);
  }

  #showProblem(error: unknown): void {
    this.#problem = error instanceof FloorProblem ? error : undefined;
    this.#publisher.publish();
  }

  async #load(): Promise<void> {
    try {
      await this.#readEnd();
    } catch (error) {
      if (!(error instanceof FloorProblem) || error.status !== 404) throw error;
      await this.#readAsFormer();
      // A person who was never there gets the original problem.
      if (this.#transcript.lines().length === 0) throw error;
    }
  }

  /** Also after entries were revealed or erased. */
  async #readEnd(): Promise<void> {
    const { signal } = this.#over;
    this.#see(await this.#conversation.view({ signal }));
    const first = Math.max(this.#view.seq - endMax, 0);
    const entries = await this.#conversation.log({ after: first, limit: endMax, signal });
    // Entries that arrived by the stream meanwhile are newer than this page.
    const last = entries.at(-1)?.seq ?? first;
    const since = entriesOf(this.#transcript).filter(({ seq }) => seq > last);
    this.#first = first;
    this.#seq = since.at(-1)?.seq ?? last;
    this.#rebuild([...entries, ...since]);
  }

  /** A former conversant gets no view, but may read the entries of its time, from the start. */
  async #readAsFormer(): Promise<void> {
    this.#isHere = false;
    const { signal } = this.#over;
    for (;;) {
      const page = await this.#conversation.log({ after: this.#seq, limit: pageMax, signal });
      const last = page.at(-1)?.seq ?? 0;
      if (last <= this.#seq) return;
      for (const entry of page) this.#transcript.add(entry);
      this.#seq = last;
    }
  }

  #rebuild(entries: readonly Entry[]): void {
    this.#transcript = createTranscriptLines();
    this.#transcript.look(this.#view);
    for (const entry of entries) attempt(() => this.#transcript.add(entry));
    this.#questions = openQuestions(this.#conversation.me, entries, this.#people, this.#context.floorUri);
    if (this.#conversation.outbox.unsent().length > 0) for (const entry of entries) attempt(() => this.#confirm(entry));
    this.#publisher.publish();
  }

  /** An older answer is ignored. */
  #see(view: ConversationView): void {
    if (view.seq < this.#view.seq || !this.#isHere) return;
    this.#view = view;
    this.#people.look(view);
    this.#transcript.look(view);
  }

  #take(frame: StreamFrame): void {
    if ("draft" in frame) this.#drafts.take(frame.draft);
    else {
      this.#seq = frame.seq;
      // Entries hold what others wrote: one that cannot be read must not end the model.
      attempt(() => this.#takeEntry(frame.entry));
      this.refresh();
    }
    this.#publisher.publish();
  }

  #takeEntry(entry: Entry): void {
    const { me, outbox } = this.#conversation;
    this.#transcript.add(entry);
    this.#people.hear(entry);
    takeQuestion(this.#questions, entry, lineOf(entry, this.#context.floorUri));
    if (isAttendanceOf(me, entry)) this.#isHere = entry.kind === "seated";
    if (!this.#isHere) this.#view = withoutSelf(me, this.#view);
    const isRevealed = entry.kind === "revealed" && isSameUri(entry.speakerUri, me);
    // Revealed entries become readable, and erased ones must disappear. Otherwise the next load reads them.
    if (isRevealed || entry.kind === "erased") this.#readEnd().catch(() => undefined);
    if (entry.kind === "role" && entry.role === "convener") {
      for (const { id } of outbox.unsent()) outbox.refuseTaken(id, convenerChanged);
    }
    if (entry.kind === "refused" && isSameUri(entry.sender, me) && entry.event.eventType === "utterance") {
      outbox.refuseTaken(entry.event.parameters.dialogEvent.id, refused(entry.problem, entry.because));
    }
    this.#confirm(entry);
  }

  /** An utterance in the log ends its draft, and the waiting of an own one. */
  #confirm(entry: Entry): void {
    if (entry.kind !== "event" || entry.event.eventType !== "utterance") return;
    const { me, outbox } = this.#conversation;
    const { id, speakerUri } = validDialogEvent(entry);
    this.#drafts.finish(entry.sender, id);
    // Speakers choose ids freely, so only own utterances confirm own ones. A convener returns one with its speakerUri.
    if (isSameUri(entry.sender, me) || isSameUri(speakerUri, me)) outbox.confirm(id, entry.seq);
  }

  #connect(state: "live" | "reconnecting"): void {
    this.#connection = state;
    if (state === "live") {
      this.#conversation.outbox.flush();
      this.refresh();
    }
    this.#publisher.publish();
  }

  #gone(error: unknown): void {
    if (this.#over.signal.aborted) return;
    this.#connection = "gone";
    this.#showProblem(error);
  }

  async #look(): Promise<void> {
    const { signal } = this.#over;
    while (this.#wantsLook && this.#isHere && !this.#conversation.isLeaving && !signal.aborted) {
      this.#wantsLook = false;
      // The follower reports outages, and polling repeats.
      const view = await this.#conversation.view({ signal }).catch(() => undefined);
      if (view !== undefined) this.#see(view);
      this.#conversation.outbox.prune();
      this.#publisher.publish();
      await createPause().wait(restMs, signal);
    }
  }

  #state(): LiveSnapshot {
    const { id, me, outbox } = this.#conversation;
    return {
      id,
      me,
      connection: this.#connection,
      ...(this.#problem !== undefined && { problem: this.#problem }),
      view: this.#view,
      entries: entriesOf(this.#transcript),
      lines: this.#transcript.lines(),
      hasOlder: this.#first > 0,
      identifications: this.#transcript.identifications(),
      drafts: this.#drafts.all(),
      unsent: outbox.unsent(),
      questions: this.#questions.open(),
    };
  }
}

const refused = (detail: string, because: string) => new FloorProblem({ status: 422, detail, because });
const convenerChanged = refused("the convener changed before it was delivered", "convener/changed");

function attempt(run: () => void): void {
  try {
    run();
  } catch {
    return; // the entry is hostile, and the next one is read
  }
}

/** Only entries of the contract are added. */
const entriesOf = (transcript: TranscriptLines) => transcript.entries() as readonly Entry[];
