/** A name that no conversation has, or several: a no (exit code 1), not a broken world. Its message says how to go on. */
export class UnclearConversation extends Error {
  override readonly name = "UnclearConversation";
}
