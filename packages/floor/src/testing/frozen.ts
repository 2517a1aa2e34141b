/** The same data, frozen: a decision that writes into its input throws. */
export function frozen<T>(data: T): T {
  if (typeof data !== "object" || data === null || Object.isFrozen(data)) return data;
  Object.freeze(data);
  for (const inner of Object.values(data)) frozen(inner);
  return data;
}
