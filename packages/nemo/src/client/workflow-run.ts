import type { Step } from "../features.ts";
import type { ServerSaid } from "../messages/parse-server-message.ts";
import type { ServerPrompt } from "../messages/prompt.ts";
import { createQueue } from "./async-queue.ts";
import type { ClientClock, ClientLimits, Happening } from "./client-options.ts";
import { NemoError, type NemoErrorCode } from "./nemo-error.ts";

export type TurnOptions = {
  messageId: string;
  clock: ClientClock;
  limits: ClientLimits;
  /** Whether this server sends traces: they come after the end, and who sends none is not waited for twice. */
  traces: { areExpected: boolean };
  /** False when there is no connection just now. */
  reply: (texts: readonly string[]) => boolean;
  /** Answered: what somebody said to a prompt is part of it. */
  onOver: (outcome: "complete" | "answered" | "broken") => void;
};

const unnamedTrouble = { code: "unknown_error", message: "the workflow failed", details: "" } as const;

/** One turn, from what its server says to what happens. It knows no socket. */
export class Turn {
  readonly happenings = createQueue<Happening>(() => this.leave());
  readonly #options: TurnOptions;
  readonly #timers = { watch: () => {}, prompt: () => {}, trace: () => {} };
  #chars = 0;
  #isOver = false;
  #isEnding = false;
  #hasSteps = false;
  #hasFailed = false;
  #hasAnswers = false;
  #reconnection: "none" | "done" | "answered" = "none";
  /** Nothing came since the connection broke. */
  #isUnheard = false;
  #waiting: { kind: "consent"; number?: never } | { kind: "prompt"; number: number; text: string } | undefined;
  #prompts = 0;
  /** Answered while there was no connection: told when the server asks again. */
  #held: readonly string[] | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#watchOn();
  }

  take(said: ServerSaid, chars: number): void {
    if (this.#isOver) return;
    this.#isUnheard = false;
    this.#chars += chars;
    const isEndless = this.#chars > this.#options.limits.turnCharsMax;
    if (isEndless) this.#break("too-much", "the answer of the workflow does not end");
    if (this.#waiting?.kind === "consent" && said.kind !== "step") this.#waiting = undefined;
    if (!this.#isOver) this.#takeIn(said);
    if (!this.#isOver) this.#watchOn();
  }

  /** Whether it still waits for the answer to that prompt, or for consent. */
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
    if (!this.#options.reply(texts)) this.#held = texts;
    this.#watchOn();
    return true;
  }

  /** The connection broke. True when it is worth another one. */
  dropped(): boolean {
    if (this.#isEnding) this.#finish();
    else if (this.#reconnection === "answered") {
      this.#break("lost-prompt", "the server closed the connection when it was answered after a reconnection");
    } else if (this.#reconnection === "done") this.#break("closed", "the connection broke twice");
    if (this.#isOver) return false;
    this.#reconnection = "done";
    this.#isUnheard = true;
    return true;
  }

  /** On the new one the server sends what comes from now on, and the prompt that waits. */
  reopened(): void {
    if (!this.#isOver && this.#isUnheard) this.#watch(this.#options.limits.reconnectedMs);
  }

  fail(error: NemoError): void {
    this.happenings.put({ kind: "broken", error });
    this.#over("broken");
  }

  /** Nothing of it is wanted any more. */
  leave(): void {
    this.#over("broken");
  }

  #takeIn(said: ServerSaid): void {
    const { happenings } = this;
    switch (said.kind) {
      case "delta":
        this.#say(said.text);
        break;
      case "complete":
        this.#say(said.text);
        if (said.isFailed && !this.#hasFailed) happenings.put({ kind: "error", error: unnamedTrouble });
        this.#awaitTrace();
        break;
      case "step":
        this.#hasSteps = true;
        happenings.put({ kind: "step", step: this.#placed(said.step) });
        break;
      case "prompt":
        this.#takePrompt(said.prompt);
        break;
      case "notification":
        happenings.put({ kind: "notification", text: said.text });
        break;
      case "oauth":
        this.#waiting = { kind: "consent" };
        happenings.put({ kind: "consent", url: said.url });
        break;
      case "error":
        this.#hasFailed = true;
        happenings.put({ kind: "error", error: said.error });
        // The toolkit says nothing more then.
        if (said.error.code === "invalid_user_message_content") this.#awaitTrace();
        break;
      case "trace":
        happenings.put({ kind: "trace", traceId: said.traceId });
        if (this.#isEnding) this.#finish();
        break;
      case "auth":
      case "unknown":
        break;
    }
  }

  #say(text: string): void {
    if (text !== "") this.happenings.put({ kind: "delta", text });
  }

  /** By the published page the parent of a step is the message, which says nothing. */
  #placed({ parent, ...step }: Step): Step {
    return parent === undefined || parent === this.#options.messageId ? step : { ...step, parent };
  }

  #takePrompt(prompt: ServerPrompt): void {
    const { clock, limits, reply } = this.#options;
    const isWaiting = this.#waiting?.kind === "prompt" && this.#waiting.text === prompt.text;
    const isAgain = isWaiting && this.#reconnection !== "none";
    this.#timers.prompt();
    if (this.#held !== undefined && reply(this.#held)) {
      this.#held = undefined;
      return;
    }
    if (!isAgain) this.#prompts += 1;
    const number = this.#prompts;
    this.#waiting = { kind: "prompt", number, text: prompt.text };
    this.#timers.prompt = clock.after(prompt.timeoutMs ?? limits.promptMs, () => {
      this.#waiting = undefined;
      this.#held = undefined;
      if (prompt.timeoutMs === undefined) this.#break("unanswered", "nobody answered the prompt of the workflow");
      else this.#watchOn();
    });
    if (!isAgain) this.happenings.put({ kind: "prompt", number, prompt });
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

  #watchOn(): void {
    const { limits } = this.#options;
    if (this.#waiting === undefined) this.#watch(limits.silenceMs);
    else if (this.#waiting.kind === "consent") this.#watch(limits.consentMs);
    else this.#timers.watch();
  }

  #watch(ms: number): void {
    this.#timers.watch();
    this.#timers.watch = this.#options.clock.after(ms, () => this.#break("silent", `nothing came for ${ms / 1000} s`));
  }

  #finish(): void {
    this.happenings.put({ kind: "end" });
    this.#over(this.#hasAnswers ? "answered" : "complete");
  }

  #break(code: NemoErrorCode, problem: string): void {
    this.fail(new NemoError(code, problem));
  }

  #over(outcome: "complete" | "answered" | "broken"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const cancel of Object.values(this.#timers)) cancel();
    this.happenings.end();
    this.#options.onOver(outcome);
  }
}
