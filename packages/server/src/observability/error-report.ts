import { StoreError } from "../errors.ts";
import type { Logger } from "../ports/logger.ts";

/** Logs what went wrong inside the server, for its parts that know nothing of the log. */
export function createErrorReport({ error: log }: Logger): (error: unknown) => void {
  return (error) => log(error instanceof StoreError ? "store operation failed" : "internal error", { error });
}
