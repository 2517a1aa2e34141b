import type { EventType } from "@plenary/protocol";

export type Action = "pass" | "delegate" | "ignore" | "grant";

export type Row = {
  event: EventType;
  /** For utterances: whether the sender has the floor. Other events have one row. */
  granted?: boolean;
  withConvener: Action;
  withoutConvener: Action;
};

/** Section 2.2 of the message specification; the utterance rows as clarified in 1.1.1. */
export const table: readonly Row[] = [
  { event: "utterance", granted: true, withConvener: "pass", withoutConvener: "pass" },
  { event: "utterance", granted: false, withConvener: "delegate", withoutConvener: "ignore" },
  { event: "invite", withConvener: "delegate", withoutConvener: "pass" },
  { event: "uninvite", withConvener: "delegate", withoutConvener: "pass" },
  { event: "declineInvite", withConvener: "pass", withoutConvener: "pass" },
  { event: "acceptInvite", withConvener: "pass", withoutConvener: "pass" },
  { event: "bye", withConvener: "pass", withoutConvener: "pass" },
  { event: "getManifests", withConvener: "pass", withoutConvener: "pass" },
  { event: "publishManifests", withConvener: "pass", withoutConvener: "pass" },
  { event: "requestFloor", withConvener: "delegate", withoutConvener: "grant" },
  { event: "grantFloor", withConvener: "delegate", withoutConvener: "pass" },
  { event: "yieldFloor", withConvener: "pass", withoutConvener: "pass" },
  { event: "revokeFloor", withConvener: "delegate", withoutConvener: "pass" },
];

/** The rule id of a cell of the table. */
export type TableId = `2.2/${EventType}${"" | "/granted" | "/not-granted"}/${"convener" | "no-convener"}`;

export type Verdict = { action: Action; because: TableId };

type Cells = { withConvener: Verdict; withoutConvener: Verdict };

export function cellsOf({ event, granted, withConvener, withoutConvener }: Row): Cells {
  const word = granted === undefined ? "" : granted ? "/granted" : "/not-granted";
  return {
    withConvener: { action: withConvener, because: `2.2/${event}${word}/convener` },
    withoutConvener: { action: withoutConvener, because: `2.2/${event}${word}/no-convener` },
  };
}

const granted = new Map<EventType, Cells>();
const notGranted = new Map<EventType, Cells>();
for (const row of table) {
  if (row.granted !== false) granted.set(row.event, cellsOf(row));
  if (row.granted !== true) notGranted.set(row.event, cellsOf(row));
}

export function verdictOf(event: EventType, hasFloor: boolean, hasConvener: boolean): Verdict {
  const cells = (hasFloor ? granted : notGranted).get(event);
  if (cells === undefined) throw new Error(`the table has no row for ${event}`);
  return hasConvener ? cells.withConvener : cells.withoutConvener;
}
