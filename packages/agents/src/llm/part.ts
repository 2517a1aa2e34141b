import type { ModelError } from "./model-error.ts";

/** An answer comes in parts; the last one says how it ended. */
export type Part = { kind: "text"; text: string } | Ending;

export type Ending =
  | { kind: "complete" }
  /** The model says that this is not its own matter. */
  | { kind: "outOfDomain" }
  /** It reached the length it may have; its provider kept the rest back. */
  | { kind: "length" }
  | { kind: "filtered" }
  | { kind: "failed"; error: ModelError };

/** An answer that is under way. */
export type Begun = { first: Promise<IteratorResult<Part>>; parts: AsyncGenerator<Part> };
