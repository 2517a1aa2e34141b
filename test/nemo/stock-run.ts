// A workflow of the toolkit as a test writes it, and the functions that it can call while it runs.
import type { Json, StockMessage, StockUserMessage } from "./stock-shapes.ts";

type Step = { id?: string; parent?: string };

/** `timeout` in seconds, as on the wire. */
export type Prompt = { input_type: string; text: string; options?: Json[]; timeout?: number; error?: string } & Json;

export type Run = {
  /** All messages under `chat`, only the last text under `generate`. */
  messages: readonly StockMessage[];
  text: string;
  /** The whole message, with unknown keys. */
  payload: StockUserMessage;
  /** Another message replaced this one; its later text is lost. */
  signal: AbortSignal;
  say(text: string | null): void;
  /** The id of the step; the same id again is the same step. */
  step(name: string, payload: string, which?: Step): string;
  ask(prompt: Prompt): Promise<string>;
  notify(text: string): void;
  consent(url: string): void;
  /** After `complete`. */
  trace(id: string): void;
  /** Sends any frame in the place of a proper one. */
  send(frame: Json): void;
  raw(text: string): void;
  /** Drops the connection without a close frame. */
  drop(): void;
};

/** The returned function runs after the last token and before `complete`. */
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
