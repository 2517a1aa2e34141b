export type NemoErrorCode =
  /** The socket did not open; see `cause`. */
  | "unreachable"
  /** The credential was not accepted. */
  | "refused"
  /** The connection broke, and the run could not be resumed. */
  | "closed"
  /** The same after a prompt was answered on a reconnected socket, which the toolkit does not support. */
  | "lost-prompt"
  | "silent"
  /** The run took longer than the caller can wait. */
  | "slow"
  | "too-much"
  /** A prompt got no answer in time. */
  | "unanswered";

/** A run failed, or a socket did not open. */
export class NemoError extends Error {
  override readonly name = "NemoError";
  readonly code: NemoErrorCode;

  constructor(code: NemoErrorCode, problem: string, options?: { cause: unknown }) {
    super(problem, options);
    this.code = code;
  }
}
