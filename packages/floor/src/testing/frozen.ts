/** The same data, which nobody can change any more: a decision that writes into what it was given throws. */
export function frozen<T>(data: T): T {
  if (typeof data !== "object" || data === null || Object.isFrozen(data)) return data;
  Object.freeze(data);
  for (const inner of Object.values(data)) frozen(inner);
  return data;
}
