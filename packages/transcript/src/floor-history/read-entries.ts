import type { SeatKind, ShownEvent, TranscriptEntry } from "../transcript.ts";
import { absorb, ask, changeSeat, type Draft, hold, newDraft, stopAsking } from "./lane.ts";

export type Pause = { from: number; to: number; because?: string };

export type Mark = {
  kind: "utterance" | "refused" | "missed" | "role";
  seq: number;
  /** The lane it is drawn in. */
  row: number;
  entry: TranscriptEntry;
  /** Of an utterance: its speaker had the floor; unknown when absent. */
  withFloor?: boolean;
  isWhisper?: true;
  to?: string;
};

/** What is known of a log so far. */
export type Reading = {
  drafts: Draft[];
  bySpeaker: Map<string, Draft>;
  marks: Mark[];
  pauses: Pause[];
  pausedSince: { seq: number; because?: string } | undefined;
  roles: Map<string, string>;
  /** Lanes that turned out to be another one: [row, row of the other]. */
  merged: Map<number, number>;
  first: number;
  /** Whether all that happened before is known, for everyone or for those who came later. */
  isWhole: boolean;
  newcomers: Set<string>;
};

/** Takes in the next entry. */
export function read(reading: Reading, entry: TranscriptEntry): void {
  const { seq } = entry;
  switch (entry.kind) {
    case "opened":
      if (entry.owner !== undefined) open(reading, entry.owner, seq);
      return;
    case "event":
      takeEffect(reading, entry);
      return;
    case "seated":
      sit(reading, entry.seat, seq);
      if (entry.isGranted === true) hold(laneOf(reading, entry.seat.identification.speakerUri), true, seq);
      return;
    case "renamed":
      rename(reading, entry);
      return;
    case "role":
      changeRole(reading, entry);
      return;
    case "parked":
      if (entry.event?.eventType === "requestFloor") ask(beneficiary(reading, entry.sender, entry.event), seq);
      return;
    case "held":
      ask(laneOf(reading, entry.speakerUri), seq);
      return;
    case "refused":
      reading.marks.push({ kind: "refused", seq, entry, row: laneOf(reading, entry.sender).row });
      return;
    case "missed":
      reading.marks.push({ kind: "missed", seq, entry, row: laneOf(reading, entry.speakerUri).row });
      return;
    case "paused":
      reading.pausedSince ??= { seq, ...(entry.because !== undefined && { because: entry.because }) };
      return;
    case "resumed":
      resume(reading, seq);
      return;
    case "hidden":
      if (entry.whisper !== undefined) unheard(reading, entry, entry.whisper);
      return;
    default:
      return;
  }
}

type SeatFact = Extract<TranscriptEntry, { kind: "seated" }>["seat"];

function open(reading: Reading, owner: SeatFact, seq: number): void {
  const draft = sit(reading, owner, seq);
  hold(draft, true, seq);
  reading.roles.set("owner", draft.speakerUri);
}

function sit(reading: Reading, { identification, kind, state }: SeatFact, seq: number): Draft {
  const draft = laneOf(reading, identification.speakerUri, kind);
  // Nobody is invited who is here, so before that it was absent.
  if (state === "invited" && draft.seat === "unknown") {
    draft.seat = "absent";
    draft.isHeld ??= false;
  }
  changeSeat(draft, state, seq);
  return draft;
}

function takeEffect(reading: Reading, entry: ShownEvent): void {
  const { seq, sender, event, target } = entry;
  switch (event.eventType) {
    case "utterance":
      say(reading, entry);
      return;
    case "requestFloor":
      ask(beneficiary(reading, sender, event), seq);
      return;
    case "yieldFloor":
      hold(laneOf(reading, sender), false, seq);
      return;
    case "invite":
    case "grantFloor":
      if (target !== undefined) hold(laneOf(reading, target), true, seq);
      return;
    case "revokeFloor":
      if (target !== undefined) lose(laneOf(reading, target), entry.isNotice === true, seq);
      return;
    case "bye":
    case "uninvite":
    case "declineInvite":
      if (target !== undefined) leave(reading, laneOf(reading, target), seq);
      return;
    default:
      return;
  }
}

/** Spec 0.4.3: somebody may ask for somebody else; a request that goes to the convener is for oneself. */
function beneficiary(reading: Reading, sender: string, { to }: ShownEvent["event"]): Draft {
  const named = to?.speakerUri === undefined ? undefined : reading.bySpeaker.get(to.speakerUri);
  const isOther = named !== undefined && named.speakerUri !== reading.roles.get("convener");
  return isOther ? named : laneOf(reading, sender);
}

function say(reading: Reading, entry: ShownEvent): void {
  const { seq, sender, event, because } = entry;
  const draft = laneOf(reading, sender);
  const told = because?.startsWith("2.2/utterance/") ? because.includes("/granted/") : undefined;
  // Until now nothing had changed for it, so what the rule says of this moment holds from the beginning.
  draft.isHeld ??= told;
  const to = entry.target ?? event.to?.speakerUri;
  reading.marks.push({
    kind: "utterance",
    ...{ seq, entry, row: draft.row },
    ...(draft.isHeld !== undefined && { withFloor: draft.isHeld }),
    ...(event.to?.private === true && { isWhisper: true }),
    ...(to !== undefined && { to }),
  });
}

/** A whisper between others: that it was is told, the words are not. */
function unheard(reading: Reading, entry: TranscriptEntry, { from, to }: { from: string; to?: string }): void {
  const { row, isHeld } = laneOf(reading, from);
  reading.marks.push({
    ...{ kind: "utterance", seq: entry.seq, entry, row, isWhisper: true },
    ...(isHeld !== undefined && { withFloor: isHeld }),
    ...(to !== undefined && { to }),
  });
}

function changeRole(reading: Reading, entry: Extract<TranscriptEntry, { kind: "role" }>): void {
  const { seq, role, speakerUri } = entry;
  const about = speakerUri ?? reading.roles.get(role);
  if (speakerUri === undefined) reading.roles.delete(role);
  else reading.roles.set(role, speakerUri);
  if (about !== undefined) reading.marks.push({ kind: "role", seq, entry, row: laneOf(reading, about).row });
}

export function resume(reading: Reading, seq: number): void {
  const { pausedSince: since } = reading;
  reading.pausedSince = undefined;
  if (since === undefined) return;
  reading.pauses.push({ from: since.seq, to: seq, ...(since.because !== undefined && { because: since.because }) });
}

function lose(draft: Draft, isNotice: boolean, seq: number): void {
  stopAsking(draft, seq);
  // A notice goes to whoever spoke without the floor.
  if (isNotice) draft.isHeld ??= false;
  else hold(draft, false, seq);
}

function leave(reading: Reading, draft: Draft, seq: number): void {
  hold(draft, false, seq);
  stopAsking(draft, seq);
  changeSeat(draft, "absent", seq);
  for (const [role, speakerUri] of reading.roles) if (speakerUri === draft.speakerUri) reading.roles.delete(role);
}

export function laneOf(reading: Reading, speakerUri: string, kind?: SeatKind): Draft {
  const known = reading.bySpeaker.get(speakerUri);
  if (known !== undefined) {
    if (kind !== undefined) known.kind = kind;
    return known;
  }
  const { first: since, drafts } = reading;
  const isNew = reading.isWhole || reading.newcomers.has(speakerUri);
  const draft = newDraft(speakerUri, kind, drafts.length, since, isNew);
  drafts.push(draft);
  reading.bySpeaker.set(speakerUri, draft);
  return draft;
}

/** Whoever was invited by its address answers under its own name; it may have been here before. */
function rename(reading: Reading, { seq, from, to }: Extract<TranscriptEntry, { kind: "renamed" }>): void {
  const draft = laneOf(reading, from);
  const earlier = reading.bySpeaker.get(to);
  reading.bySpeaker.delete(from);
  for (const [role, speakerUri] of reading.roles) if (speakerUri === from) reading.roles.set(role, to);
  draft.speakerUri = to;
  if (earlier === undefined) {
    reading.bySpeaker.set(to, draft);
    return;
  }
  absorb(earlier, draft, seq);
  reading.merged.set(draft.row, earlier.row);
}
