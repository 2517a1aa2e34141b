/** The kinds of faults in a run. */
export const faultKinds = [
  "agent times out",
  "agent refuses",
  "agent is busy",
  "garbage answer",
  "duplicate answer",
  "late answer after a restart",
  "reordered answers",
  "reset after bytes were sent",
  "endless agent",
  "request reaches an agent from a dead node",
  "disk full",
  "append conflict",
  "crash before the write",
  "crash before the sync",
  "crash after the write",
  "unsynced write lost",
  "power loss",
  "clock jump",
  "convener death",
  "node crash",
  "request sent twice",
  "viewer cut",
] as const;

export type FaultKind = (typeof faultKinds)[number];

export type FaultCounts = Record<FaultKind, number>;

export function noFaults(): FaultCounts {
  return Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as FaultCounts;
}

export function addFaults(total: FaultCounts, more: FaultCounts): void {
  for (const kind of faultKinds) total[kind] += more[kind];
}
