import { userInteractionMessage, userMessage } from "../messages/make-client-message.ts";
import type { ParsedServerMessage } from "../messages/parse-server-message.ts";
import {
  type ClientLimits,
  clientLimits,
  type NemoClientOptions,
  type RunEvent,
  type RunRequest,
} from "./client-options.ts";
import { type Connection, openConnection } from "./connection.ts";
import { NemoError } from "./nemo-error.ts";
import { WorkflowRun } from "./workflow-run.ts";

/** `messageId` is the parent_id of the messages of the server in this run. */
type ActiveRun = { run: WorkflowRun; conversationId: string; messageId: string };

const earlyMessagesMax = 100;
/** A server may ask for consent before the first message. */
const consentsMax = 4;

/** A client of one NeMo server, with one socket and one run at a time. */
export class NemoClient {
  readonly #options: NemoClientOptions;
  readonly #limits: ClientLimits;
  readonly #threads: Threads;
  readonly #traces = { areExpected: true };
  readonly #consents: ParsedServerMessage[] = [];
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #active: ActiveRun | undefined;
  #previousId = "";
  #stopIdleTimer = () => {};

  constructor(options: NemoClientOptions) {
    this.#options = options;
    this.#limits = { ...clientLimits, ...options.limits };
    this.#threads = createThreads(options.newId);
  }

  /** Opens the socket, to check that the server is reachable. Rejects with a `NemoError`. */
  async open(): Promise<void> {
    await (this.#opening ?? this.#connect(this.#threads.idOf("")));
    if (this.#active === undefined) this.#startIdleTimer();
  }

  /** Starts a run and returns its events. `return()` of the iterator stops the run. Throws while another run is active. */
  run(request: RunRequest): AsyncIterableIterator<RunEvent> {
    if (this.#active !== undefined) throw new Error("a run is active: a socket has one run at a time");
    this.#stopIdleTimer();
    const active = this.#start(request.thread ?? "");
    this.#active = active;
    void this.#send(active, request);
    return active.run.events;
  }

  isRunning(): boolean {
    return this.#active !== undefined;
  }

  /** Whether the run waits for the answer to this prompt, or for consent. */
  isOpen(question: number | "consent"): boolean {
    return this.#active?.run.isOpen(question) === true;
  }

  /** Answers a prompt once. False when it is no longer open: the server would close the socket on a late reply. */
  answer(number: number, texts: readonly string[]): boolean {
    return this.#active?.run.answer(number, texts) === true;
  }

  /** The protocol has no cancel: the socket closes. The run may continue on the server, so its conversation id is not used again. */
  stop(): void {
    this.#active?.run.leave();
  }

  close(): void {
    this.#stopIdleTimer();
    this.stop();
    this.#disconnect();
  }

  #start(thread: string): ActiveRun {
    const { clock, newId } = this.#options;
    const conversationId = this.#threads.idOf(thread);
    const messageId = newId();
    const run = new WorkflowRun({
      messageId,
      clock,
      limits: this.#limits,
      traces: this.#traces,
      reply: (texts) => {
        const message = userInteractionMessage({ texts, id: newId(), conversationId, parentId: messageId });
        return this.#connection?.send(message) === true;
      },
      onOver: (outcome) => {
        this.#previousId = messageId;
        this.#active = undefined;
        // A run that continues unread would write into the next one, and an answer to a prompt is private to one person.
        const isLeft = outcome === "broken" || (outcome === "answered" && this.#options.isShared === true);
        if (isLeft) this.#threads.forget(thread);
        if (outcome === "broken") this.#disconnect();
        else this.#startIdleTimer();
      },
    });
    return { run, conversationId, messageId };
  }

  async #send(active: ActiveRun, request: RunRequest): Promise<void> {
    const { run, conversationId, messageId: id } = active;
    const message = userMessage({ ...request, id, conversationId });
    try {
      const opening = this.#opening ?? this.#connect(conversationId);
      const connection = await opening;
      if (this.#active !== active) return;
      for (const said of this.#consents.splice(0)) run.take(said, 0);
      const isSaid = connection.send(message) || (await this.#nextConnection(opening, conversationId)).send(message);
      if (!isSaid) throw new NemoError("closed", "the server closed the connection at once");
    } catch (error) {
      run.fail(
        error instanceof NemoError ? error : new NemoError("unreachable", "the socket did not open", { cause: error }),
      );
    }
  }

  /** The socket closed before the message was sent. Another one may already be opening. */
  #nextConnection(socket: Promise<Connection>, conversationId: string): Promise<Connection> {
    const other = this.#opening === socket ? undefined : this.#opening;
    return other ?? this.#connect(conversationId);
  }

  #connect(conversationId: string): Promise<Connection> {
    const early: [said: ParsedServerMessage, chars: number][] = [];
    const takeEarly = () => {
      for (const [said, chars] of early.splice(0)) this.#receive(said, chars);
    };
    const opening = openConnection({
      ...this.#options,
      limits: this.#limits,
      conversationId,
      onSaid: (said, chars) => {
        // A replaced connection is ignored.
        if (this.#opening !== opening) return;
        // Messages before `#connection` is set cannot be answered yet.
        if (this.#connection !== undefined) this.#receive(said, chars);
        else if (early.length < earlyMessagesMax) early.push([said, chars]);
      },
      onClose: () => {
        if (this.#opening === opening) takeEarly();
        this.#onDropped(opening);
      },
    });
    this.#connection = undefined;
    this.#opening = opening;
    opening.then(
      (connection) => {
        if (this.#opening !== opening) return connection.close();
        this.#connection = connection;
        takeEarly();
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }

  #receive(said: ParsedServerMessage, chars: number): void {
    if (said.kind === "trace") this.#traces.areExpected = true;
    // A late message of the previous run.
    if (said.parentId !== "" && said.parentId === this.#previousId) return;
    if (this.#active !== undefined) this.#active.run.take(said, chars);
    else if (said.kind === "oauth" && this.#consents.length < consentsMax) this.#consents.push(said);
  }

  #onDropped(socket: Promise<Connection>): void {
    if (this.#opening !== socket) return;
    this.#connection = undefined;
    this.#opening = undefined;
    const active = this.#active;
    if (active?.run.dropped() !== true) return;
    this.#connect(active.conversationId).then(
      () => active.run.reopened(),
      (cause) =>
        active.run.fail(new NemoError("closed", "the connection broke, and the reconnection failed", { cause })),
    );
  }

  #startIdleTimer(): void {
    this.#stopIdleTimer();
    this.#stopIdleTimer = this.#options.clock.after(this.#limits.idleMs, () => this.#disconnect());
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#opening = undefined;
  }
}

/** The conversation ids of the threads. */
export type Threads = {
  idOf(thread: string): string;
  /** The next run of the thread gets a new id. */
  forget(thread: string): void;
};

const threadsMax = 100;

function createThreads(newId: () => string): Threads {
  const ids = new Map<string, string>();
  return {
    idOf(thread) {
      const id = ids.get(thread) ?? newId();
      ids.delete(thread);
      ids.set(thread, id);
      const [oldest] = ids.keys();
      if (ids.size > threadsMax && oldest !== undefined) ids.delete(oldest);
      return id;
    },
    forget: (thread) => void ids.delete(thread),
  };
}
