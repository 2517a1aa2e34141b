import { userInteractionMessage, userMessage } from "../messages/make-client-message.ts";
import type { ServerSaid } from "../messages/parse-server-message.ts";
import {
  type ClientLimits,
  clientLimits,
  type Happening,
  type NemoClientOptions,
  type TurnRequest,
} from "./client-options.ts";
import { type Line, openLine } from "./connection.ts";
import { NemoError } from "./nemo-error.ts";
import { Turn } from "./workflow-run.ts";

/** `messageId` is what the server calls the parent of what it says in the turn. */
type Running = { turn: Turn; conversationId: string; messageId: string };

const earlyMax = 100;
/** Consent may be asked for before anybody says anything. */
const consentsMax = 4;

/** A client of one server, with one socket and one turn at a time. */
export class NemoClient {
  readonly #options: NemoClientOptions;
  readonly #limits: ClientLimits;
  readonly #threads: Threads;
  readonly #traces = { areExpected: true };
  readonly #consents: ServerSaid[] = [];
  #line: Line | undefined;
  #opening: Promise<Line> | undefined;
  #running: Running | undefined;
  #formerId = "";
  #stopIdling = () => {};

  constructor(options: NemoClientOptions) {
    this.#options = options;
    this.#limits = { ...clientLimits, ...options.limits };
    this.#threads = createThreads(options.newId);
  }

  /** Opens the socket, to see whether somebody is there. Rejects with a `NemoError`. */
  async open(): Promise<void> {
    await (this.#opening ?? this.#connect(this.#threads.idOf("")));
    if (this.#running === undefined) this.#idle();
  }

  /** All of a turn, to be read to its end or left by `return()`, which stops it. Throws while another one runs. */
  turn(request: TurnRequest): AsyncIterableIterator<Happening> {
    if (this.#running !== undefined) throw new Error("a turn is running: one at a time on a socket");
    this.#stopIdling();
    const running = this.#start(request.thread ?? "");
    this.#running = running;
    void this.#say(running, request);
    return running.turn.happenings;
  }

  /** A turn is not over yet. */
  isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Whether the turn still waits for the answer to that prompt, or for consent. */
  isOpen(question: number | "consent"): boolean {
    return this.#running?.turn.isOpen(question) === true;
  }

  /** Answers that prompt, once. False when it is not open any more: a late reply would cost the socket. */
  answer(number: number, texts: readonly string[]): boolean {
    return this.#running?.turn.answer(number, texts) === true;
  }

  /** The protocol has no cancel: the socket is closed, and the id of the run, which may go on, is never used again. */
  stop(): void {
    this.#running?.turn.leave();
  }

  close(): void {
    this.#stopIdling();
    this.stop();
    this.#hangUp();
  }

  #start(thread: string): Running {
    const { clock, newId } = this.#options;
    const conversationId = this.#threads.idOf(thread);
    const messageId = newId();
    const turn = new Turn({
      ...{ messageId, clock, limits: this.#limits, traces: this.#traces },
      reply: (texts) => {
        const message = userInteractionMessage({ texts, id: newId(), conversationId, parentId: messageId });
        return this.#line?.send(message) === true;
      },
      onOver: (outcome) => {
        this.#formerId = messageId;
        this.#running = undefined;
        // A run that goes on unheard would talk into the next turn; and what one person told a prompt is not for others.
        const isLeft = outcome === "broken" || (outcome === "answered" && this.#options.isShared === true);
        if (isLeft) this.#threads.forget(thread);
        if (outcome === "broken") this.#hangUp();
        else this.#idle();
      },
    });
    return { turn, conversationId, messageId };
  }

  async #say(running: Running, request: TurnRequest): Promise<void> {
    const { turn, conversationId, messageId: id } = running;
    const message = userMessage({ ...request, id, conversationId });
    try {
      const opening = this.#opening ?? this.#connect(conversationId);
      const line = await opening;
      if (this.#running !== running) return;
      for (const said of this.#consents.splice(0)) turn.take(said, 0);
      const isSaid = line.send(message) || (await this.#other(opening, conversationId)).send(message);
      if (!isSaid) throw new NemoError("closed", "the connection was closed at once");
    } catch (error) {
      turn.fail(error instanceof NemoError ? error : new NemoError("unreachable", "no socket", { cause: error }));
    }
  }

  /** A socket that has closed a moment ago has heard nothing of what it was told; the next one may be opening already. */
  #other(socket: Promise<Line>, conversationId: string): Promise<Line> {
    const other = this.#opening === socket ? undefined : this.#opening;
    return other ?? this.#connect(conversationId);
  }

  #connect(conversationId: string): Promise<Line> {
    const early: [said: ServerSaid, chars: number][] = [];
    const takeEarly = () => {
      for (const [said, chars] of early.splice(0)) this.#take(said, chars);
    };
    const opening = openLine({
      ...{ ...this.#options, limits: this.#limits, conversationId },
      onSaid: (said, chars) => {
        // Of one that nobody waits for any more, nothing is wanted.
        if (this.#opening !== opening) return;
        // What comes before we know of the socket could not be answered yet.
        if (this.#line !== undefined) this.#take(said, chars);
        else if (early.length < earlyMax) early.push([said, chars]);
      },
      onClose: () => {
        if (this.#opening === opening) takeEarly();
        this.#dropped(opening);
      },
    });
    this.#line = undefined;
    this.#opening = opening;
    opening.then(
      (line) => {
        if (this.#opening !== opening) return line.close();
        this.#line = line;
        takeEarly();
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }

  #take(said: ServerSaid, chars: number): void {
    if (said.kind === "trace") this.#traces.areExpected = true;
    // What is left of the turn before.
    if (said.parentId !== "" && said.parentId === this.#formerId) return;
    if (this.#running !== undefined) this.#running.turn.take(said, chars);
    else if (said.kind === "oauth" && this.#consents.length < consentsMax) this.#consents.push(said);
  }

  #dropped(socket: Promise<Line>): void {
    if (this.#opening !== socket) return;
    this.#line = undefined;
    this.#opening = undefined;
    const running = this.#running;
    if (running?.turn.dropped() !== true) return;
    this.#connect(running.conversationId).then(
      () => running.turn.reopened(),
      (cause) => running.turn.fail(new NemoError("closed", "the connection broke, and no other opened", { cause })),
    );
  }

  #idle(): void {
    this.#stopIdling();
    this.#stopIdling = this.#options.clock.after(this.#limits.idleMs, () => this.#hangUp());
  }

  #hangUp(): void {
    this.#line?.close();
    this.#line = undefined;
    this.#opening = undefined;
  }
}

/** The conversation id of each thread, made when it is needed. */
export type Threads = {
  idOf(thread: string): string;
  /** The next turn of the thread has another one. */
  forget(thread: string): void;
};

const threadsMax = 100;

export function createThreads(newId: () => string): Threads {
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
