import type { Dialect } from "@plenary/protocol";

/** Each is asked in the newest first, and in the others as long as it does not understand. */
export const newestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];

const misunderstandings: ReadonlySet<number> = new Set([400, 415, 422, 500]);

/** Whether whoever answers with this status may understand an older dialect. */
export function isMisunderstanding(status: number): boolean {
  return misunderstandings.has(status);
}
