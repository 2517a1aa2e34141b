export type NemoErrorCode =
  /** No socket was opened; `cause` says why. */
  | "unreachable"
  /** The credential was not accepted. */
  | "refused"
  /** The connection broke, and what went on could not be found again. */
  | "closed"
  /** The same after the answer to a prompt that came after a reconnection: the toolkit cannot take it then. */
  | "lost-prompt"
  | "silent"
  /** It took longer than whoever waits can wait. */
  | "slow"
  | "too-much"
  /** Nobody answered a prompt. */
  | "unanswered";

/** A turn that did not come to its end, or a socket that did not open. */
export class NemoError extends Error {
  override readonly name = "NemoError";
  readonly code: NemoErrorCode;

  constructor(code: NemoErrorCode, problem: string, options?: { cause: unknown }) {
    super(problem, options);
    this.code = code;
  }
}
