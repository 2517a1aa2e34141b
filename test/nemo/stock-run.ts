// A workflow of the toolkit as a test writes it, and what it can do while it runs.
import type { Json, StockMessage, StockUserMessage } from "./stock-shapes.ts";

type Step = { id?: string; parent?: string };

/** `timeout` in seconds, as on the wire. */
export type Prompt = { input_type: string; text: string; options?: Json[]; timeout?: number; error?: string } & Json;

export type Run = {
  /** All of them under `chat`, the last text alone under `generate`. */
  messages: readonly StockMessage[];
  text: string;
  /** The whole message, unknown keys too. */
  payload: StockUserMessage;
  /** Another message replaced this one; its later text is lost. */
  signal: AbortSignal;
  say(text: string | null): void;
  /** Its id; the same id again is the same step. */
  step(name: string, payload: string, which?: Step): string;
  ask(prompt: Prompt): Promise<string>;
  notify(text: string): void;
  consent(url: string): void;
  /** After `complete`. */
  trace(id: string): void;
  /** Any frame at all, in the place of a proper one. */
  send(frame: Json): void;
  raw(text: string): void;
  /** The connection is gone without a word. */
  drop(): void;
};

/** What it returns happens after the last token and before `complete`. */
type After = () => void;
// biome-ignore lint/suspicious/noConfusingVoidType: most workflows just end.
export type Workflow = (run: Run) => void | After | Promise<void | After>;

/** An exception of the workflow: its class and its text. */
export class WorkflowError extends Error {
  readonly kind: string;

  constructor(kind: string, text: string) {
    super(text);
    this.kind = kind;
  }
}
