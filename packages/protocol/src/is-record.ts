/** A JSON object: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const empty: Readonly<Record<string, unknown>> = Object.freeze({});

/** The value itself if it is an object, else an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : empty;
}
