import type { Step } from "../features.ts";
import type { ParsedServerMessage } from "../messages/parse-server-message.ts";
import type { ServerPrompt } from "../messages/prompt.ts";
import type { ClientClock, ClientLimits, RunEvent } from "./client-options.ts";
import { NemoError, type NemoErrorCode } from "./nemo-error.ts";

export type WorkflowRunOptions = {
  messageId: string;
  clock: ClientClock;
  limits: ClientLimits;
  /** Whether this server sends traces. They come after the end, so a server that sends none is waited for only once. */
  traces: { areExpected: boolean };
  /** False when the connection is down. */
  reply: (texts: readonly string[]) => boolean;
  /** `answered`: complete, with an answered prompt. */
  onOver: (outcome: "complete" | "answered" | "broken") => void;
};

const unknownError = { code: "unknown_error", message: "the workflow failed", details: "" } as const;

/** One run of a workflow: turns messages of the server into events. It has no socket of its own. */
export class WorkflowRun {
  readonly events = createAsyncQueue<RunEvent>(() => this.leave());
  readonly #options: WorkflowRunOptions;
  readonly #timers = { watch: () => {}, prompt: () => {}, trace: () => {} };
  #chars = 0;
  #isOver = false;
  #isEnding = false;
  #hasSteps = false;
  #hasFailed = false;
  #hasAnswers = false;
  #reconnection: "none" | "done" | "answered" = "none";
  /** No message has come since the connection broke. */
  #isSilentSinceDrop = false;
  #waiting: { kind: "consent"; number?: never } | { kind: "prompt"; number: number; text: string } | undefined;
  #prompts = 0;
  /** An answer given without a connection. It is sent when the server asks again. */
  #heldAnswer: readonly string[] | undefined;

  constructor(options: WorkflowRunOptions) {
    this.#options = options;
    this.#restartWatch();
  }

  take(said: ParsedServerMessage, chars: number): void {
    if (this.#isOver) return;
    this.#isSilentSinceDrop = false;
    this.#chars += chars;
    const isEndless = this.#chars > this.#options.limits.turnCharsMax;
    if (isEndless) this.#break("too-much", "the answer of the workflow is too large");
    if (this.#waiting?.kind === "consent" && said.kind !== "step") this.#waiting = undefined;
    if (!this.#isOver) this.#handle(said);
    if (!this.#isOver) this.#restartWatch();
  }

  /** Whether the run waits for the answer to this prompt, or for consent. */
  isOpen(question: number | "consent"): boolean {
    return !this.#isOver && (this.#waiting?.number ?? this.#waiting?.kind) === question;
  }

  /** False when it is not open. */
  answer(number: number, texts: readonly string[]): boolean {
    if (!this.isOpen(number)) return false;
    this.#timers.prompt();
    this.#waiting = undefined;
    this.#hasAnswers = true;
    if (this.#reconnection === "done") this.#reconnection = "answered";
    if (!this.#options.reply(texts)) this.#heldAnswer = texts;
    this.#restartWatch();
    return true;
  }

  /** Call when the connection breaks. True when a reconnection makes sense. */
  dropped(): boolean {
    if (this.#isEnding) this.#finish();
    else if (this.#reconnection === "answered") {
      this.#break("lost-prompt", "the server closed the connection after a prompt was answered on a new connection");
    } else if (this.#reconnection === "done") this.#break("closed", "the connection broke twice");
    if (this.#isOver) return false;
    this.#reconnection = "done";
    this.#isSilentSinceDrop = true;
    return true;
  }

  /** Call after a reconnection. The server sends new messages and the open prompt. */
  reopened(): void {
    if (!this.#isOver && this.#isSilentSinceDrop) this.#watch(this.#options.limits.reconnectedMs);
  }

  fail(error: NemoError): void {
    this.events.put({ kind: "broken", error });
    this.#over("broken");
  }

  /** Ends the run without further events. */
  leave(): void {
    this.#over("broken");
  }

  #handle(said: ParsedServerMessage): void {
    const { events } = this;
    switch (said.kind) {
      case "delta":
        this.#putText(said.text);
        break;
      case "complete":
        this.#putText(said.text);
        if (said.isFailed && !this.#hasFailed) events.put({ kind: "error", error: unknownError });
        this.#awaitTrace();
        break;
      case "step":
        this.#hasSteps = true;
        events.put({ kind: "step", step: this.#withStepParent(said.step) });
        break;
      case "prompt":
        this.#handlePrompt(said.prompt);
        break;
      case "notification":
        events.put({ kind: "notification", text: said.text });
        break;
      case "oauth":
        this.#waiting = { kind: "consent" };
        events.put({ kind: "consent", url: said.url });
        break;
      case "error":
        this.#hasFailed = true;
        events.put({ kind: "error", error: said.error });
        // The toolkit sends no further message then.
        if (said.error.code === "invalid_user_message_content") this.#awaitTrace();
        break;
      case "trace":
        events.put({ kind: "trace", traceId: said.traceId });
        if (this.#isEnding) this.#finish();
        break;
      case "auth":
      case "unknown":
        break;
    }
  }

  #putText(text: string): void {
    if (text !== "") this.events.put({ kind: "delta", text });
  }

  /** On the published page the parent of a step is the user message, which is no step. */
  #withStepParent({ parent, ...step }: Step): Step {
    return parent === undefined || parent === this.#options.messageId ? step : { ...step, parent };
  }

  #handlePrompt(prompt: ServerPrompt): void {
    const { clock, limits, reply } = this.#options;
    const isWaiting = this.#waiting?.kind === "prompt" && this.#waiting.text === prompt.text;
    const isAgain = isWaiting && this.#reconnection !== "none";
    this.#timers.prompt();
    if (this.#heldAnswer !== undefined && reply(this.#heldAnswer)) {
      this.#heldAnswer = undefined;
      return;
    }
    if (!isAgain) this.#prompts += 1;
    const number = this.#prompts;
    this.#waiting = { kind: "prompt", number, text: prompt.text };
    this.#timers.prompt = clock.after(prompt.timeoutMs ?? limits.promptMs, () => {
      this.#waiting = undefined;
      this.#heldAnswer = undefined;
      if (prompt.timeoutMs === undefined) this.#break("unanswered", "the prompt of the workflow got no answer in time");
      else this.#restartWatch();
    });
    if (!isAgain) this.events.put({ kind: "prompt", number, prompt });
  }

  #awaitTrace(): void {
    const { clock, limits, traces } = this.#options;
    this.#isEnding = true;
    if (!this.#hasSteps || !traces.areExpected) {
      this.#finish();
      return;
    }
    this.#timers.trace();
    this.#timers.trace = clock.after(limits.traceMs, () => {
      traces.areExpected = false;
      this.#finish();
    });
  }

  #restartWatch(): void {
    const { limits } = this.#options;
    if (this.#waiting === undefined) this.#watch(limits.silenceMs);
    else if (this.#waiting.kind === "consent") this.#watch(limits.consentMs);
    else this.#timers.watch();
  }

  #watch(ms: number): void {
    this.#timers.watch();
    this.#timers.watch = this.#options.clock.after(ms, () =>
      this.#break("silent", `the server sent nothing for ${ms / 1000} s`),
    );
  }

  #finish(): void {
    this.events.put({ kind: "end" });
    this.#over(this.#hasAnswers ? "answered" : "complete");
  }

  #break(code: NemoErrorCode, problem: string): void {
    this.fail(new NemoError(code, problem));
  }

  #over(outcome: "complete" | "answered" | "broken"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const cancel of Object.values(this.#timers)) cancel();
    this.events.end();
    this.#options.onOver(outcome);
  }
}

/** A queue for one reader, in order. The writer has to limit its size. */
type AsyncQueue<Value> = AsyncIterableIterator<Value> & {
  put(value: Value): void;
  end(): void;
};

/** `onLeft`: the reader called `return()`. */
function createAsyncQueue<Value>(onLeft: () => void): AsyncQueue<Value> {
  const values: Value[] = [];
  let isOver = false;
  let wake = () => {};
  const queue: AsyncQueue<Value> = {
    put(value) {
      if (!isOver) values.push(value);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async next() {
      for (;;) {
        const value = values.shift();
        if (value !== undefined) return { done: false, value };
        if (isOver) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      values.length = 0;
      if (!isOver) onLeft();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
}
