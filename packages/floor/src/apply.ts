import type { Entry, EventEntry, ParkedEntry, ReceivedEntry } from "./entry.ts";
import { emptyFloor, type Floor, type NextFloor, openDelivery, ownerOf, seatOf } from "./floor.ts";
import { defaultOptions } from "./options.ts";
import {
  answerRequest,
  assign,
  changeRole,
  changeSeat,
  focusOn,
  grant,
  rebind,
  rename,
  requestMove,
  revoke,
  seat,
  settleMove,
  unseat,
  withMember,
} from "./state/floor-updates.ts";
import { closeDeliveries, forward, noteReaders, openDeliveries, withoutAddressee } from "./state/open-deliveries.ts";
import { countAgents, forgetOldTurns, noteFloors, pause, resume, spend } from "./state/turn-counters.ts";

/**
 * The version of `apply`: snapshots of other versions are not used. Raise it when a log folds into another floor;
 * version.test.ts detects that.
 */
export const floorVersion = 3;

/** The only way a floor changes. It contains no rules: every fact is in the entry. */
export function apply(floor: Floor, entry: Entry): Floor {
  const next: NextFloor = { ...floor };
  next.seq = entry.seq;
  change(next, entry);
  return next;
}

/** The floor of a log. */
export function fold(id: string, entries: Iterable<Entry>): Floor {
  let floor = emptyFloor(id);
  for (const entry of entries) floor = apply(floor, entry);
  return floor;
}

function change(next: NextFloor, entry: Entry): void {
  switch (entry.kind) {
    case "opened":
      open(next, entry);
      return;
    case "received":
      receive(next, entry);
      return;
    case "event":
      applyEvent(next, entry);
      return;
    case "parked":
      park(next, entry);
      return;
    case "unparked":
      unpark(next, entry.parkedSeq);
      return;
    case "seated":
      takeSeat(next, entry);
      return;
    case "renamed":
      rename(next, entry.from, entry.to, entry.identification);
      return;
    case "role":
      assignRole(next, entry);
      return;
    case "chosen":
      setChosenConvener(next, entry.serviceUrl);
      return;
    case "paused":
      pause(next, entry.turn, entry.aborts);
      return;
    case "resumed":
      resume(next);
      return;
    case "titled":
      setTitle(next, entry.title);
      return;
    case "missed":
      applyMiss(next, entry);
      return;
    case "forwarded":
      forward(next, entry);
      return;
    case "held":
      hold(next, entry);
      return;
    case "rebound":
    case "dismissed":
    case "refused":
      applyAddressChange(next, entry);
      countSwallowed(next, entry);
      return;
    case "revealed":
      changeSeat(next, entry.speakerUri, { seesFrom: entry.from });
      return;
    case "closed":
      close(next);
      return;
    // Erasures, late answers and explained silences change no floor.
    default:
  }
}

function open(next: NextFloor, { self, options, owner }: Entry & { kind: "opened" }): void {
  next.self = self;
  // A log that is older than an option folds into a floor with its default.
  next.options = { ...defaultOptions, ...options };
  if (owner === undefined) return;
  const { speakerUri } = owner.identification;
  seat(next, owner);
  grant(next, speakerUri);
  assign(next, "owner", speakerUri);
}

function takeSeat(next: NextFloor, entry: Entry & { kind: "seated" }): void {
  seat(next, entry.seat);
  if (entry.isGranted === true) grant(next, entry.seat.identification.speakerUri);
}

function countSwallowed(next: NextFloor, entry: Entry): void {
  if (entry.kind === "refused" && entry.isSwallowed === true) next.swallowed = (next.swallowed ?? 0) + 1;
}

function setTitle(next: NextFloor, title: string | undefined): void {
  const { title: _, ...options } = next.options;
  next.options = title === undefined ? options : { ...options, title };
}

function assignRole(next: NextFloor, { role, speakerUri, isAdded, isRemoved }: Entry & { kind: "role" }): void {
  if (role === "convener") {
    next.convenerMisses = 0;
    delete next.swallowed;
  }
  if (speakerUri !== undefined && (isAdded === true || isRemoved === true)) {
    changeRole(next, role, speakerUri, isAdded === true);
    return;
  }
  assign(next, role, speakerUri);
}

function setChosenConvener(next: NextFloor, serviceUrl: string | undefined): void {
  const { convener: _, ...options } = next.options;
  next.options = serviceUrl === undefined ? options : { ...options, convener: serviceUrl };
}

function receive(next: NextFloor, entry: ReceivedEntry): void {
  if (entry.answers === undefined) forgetOldTurns(next, entry.turn);
  else answered(next, entry.answers);
  noteSender(next, entry);
  if (entry.silentTo !== undefined) countSilence(next, entry.sender);
  if (entry.floors !== undefined) noteFloors(next, entry.turn, entry.floors);
  const { persistentState, conversantState, sender } = entry;
  if (persistentState !== undefined) {
    const kept = Object.entries(persistentState).map(([key, value]) => [key, { by: sender, value }] as const);
    next.persistentState = { ...next.persistentState, ...Object.fromEntries(kept) };
  }
  if (conversantState !== undefined) next.conversantState = { ...next.conversantState, [sender]: conversantState };
}

/** Notes that the sender is alive, its dialect, and the turn of an unsolicited envelope. */
function noteSender(next: NextFloor, entry: ReceivedEntry): void {
  const { sender, dialect, answers, turn, depth } = entry;
  const before = seatOf(next, sender);
  if (before === undefined) return;
  const isNewDialect = dialect !== undefined && dialect !== before.dialect;
  const isFollowed = before.kind === "agent" || entry.isPassedOn === true || before.last !== undefined;
  const isUnasked = answers === undefined && isFollowed && before.last?.turn !== turn;
  if (!isNewDialect && !isUnasked && before.misses === 0) return;
  changeSeat(next, sender, { misses: 0, ...(dialect && { dialect }), ...(isUnasked && { last: { turn, depth } }) });
}

function countSilence(next: NextFloor, speakerUri: string): void {
  changeSeat(next, speakerUri, { silences: (seatOf(next, speakerUri)?.silences ?? 0) + 1 });
}

function answered(next: NextFloor, delivery: string): void {
  const open = openDelivery(next, delivery);
  if (open?.isDelegation === true) next.convenerMisses = 0;
  // One speaker at a shared address answered, so the address is alive.
  if (open?.also !== undefined) changeSeat(next, open.to, { misses: 0 });
  closeDeliveries(next, [delivery]);
}

function applyEvent(next: NextFloor, entry: EventEntry): void {
  if (entry.aborts !== undefined) closeDeliveries(next, entry.aborts);
  if (entry.approvedBy !== undefined && entry.sender === ownerOf(next)) delete next.swallowed;
  if (entry.isAgents === true) countAgents(next, entry);
  if (entry.quota !== undefined) spend(next, entry.turn, entry.sender, entry.quota);
  if (entry.deliveries.length > 0) openDeliveries(next, entry);
  noteReaders(next, entry);
  const { target, sender, event } = entry;
  switch (event.eventType) {
    case "yieldFloor":
      revoke(next, sender);
      return;
    case "acceptInvite":
    case "requestFloor":
    case "getManifests":
    case "publishManifests":
      return;
    case "utterance":
      if ((seatOf(next, sender)?.silences ?? 0) > 0) changeSeat(next, sender, { silences: 0 });
      if (target !== undefined) focusOn(next, target);
      return;
    case "invite":
    case "grantFloor":
      if (target === undefined) return;
      grant(next, target);
      focusOn(next, target);
      return;
    case "revokeFloor":
      if (target !== undefined) lose(next, target, entry.isNotice === true);
      return;
    case "bye":
    case "uninvite":
    case "declineInvite":
      if (target !== undefined) unseat(next, target);
      return;
  }
}

/** A notice is not another loss: a speaker gets one for each time it lost the floor (D8). */
function lose(next: NextFloor, speakerUri: string, isNotice: boolean): void {
  answerRequest(next, speakerUri);
  if (isNotice) {
    next.told = withMember(next.told, speakerUri);
    return;
  }
  revoke(next, speakerUri);
  next.open = withoutAddressee(next.open, speakerUri);
}

function park(next: NextFloor, entry: ParkedEntry): void {
  const { sender, turn, depth, rest, withheld, isAddressed, seq, delivery, event, until, at } = entry;
  const parked = {
    sender,
    turn,
    depth,
    rest,
    withheld,
    isAddressed,
    seq,
    ...(entry.whispered && { whispered: entry.whispered }),
    ...(entry.boundElsewhere && { boundElsewhere: entry.boundElsewhere }),
    ...(entry.whisperer !== undefined && { whisperer: entry.whisperer }),
    ...(entry.moved && { moved: entry.moved }),
    ...(delivery && { delivery: delivery.id }),
    ...(until !== undefined && { until }),
    ...(event && { delegated: event }),
  };
  next.parked = [...next.parked, parked];
  if (delivery === undefined) return;
  const { id, to } = delivery;
  const flags = { isInvite: false, isAddressed: false, isDelegation: true };
  next.open = [...next.open, { id, to, turn, depth: depth + 1, ...flags, at }];
}

function unpark(next: NextFloor, parkedSeq: number): void {
  const awaited = next.parked.find((one) => one.seq === parkedSeq)?.delivery;
  next.parked = next.parked.filter((one) => one.seq !== parkedSeq);
  if (awaited !== undefined) closeDeliveries(next, [awaited]);
}

function hold(next: NextFloor, { speakerUri, seq, turn, depth }: Entry & { kind: "held" }): void {
  answerRequest(next, speakerUri);
  next.held = [...next.held, { speakerUri, seq, turn, depth }];
}

function applyMiss(next: NextFloor, { delivery, speakerUri, isUncounted, move }: Entry & { kind: "missed" }): void {
  requestMove(next, move);
  const wasDelegation = openDelivery(next, delivery)?.isDelegation === true;
  closeDeliveries(next, [delivery]);
  if (isUncounted === true) return;
  if (wasDelegation) next.convenerMisses += 1;
  else changeSeat(next, speakerUri, { misses: (seatOf(next, speakerUri)?.misses ?? 0) + 1 });
}

/** Applies entries about the address of a name. */
function applyAddressChange(next: NextFloor, entry: Entry & { kind: "rebound" | "dismissed" | "refused" }): void {
  if (entry.kind === "rebound") rebind(next, entry);
  else if (entry.kind === "dismissed") settleMove(next, entry.speakerUri);
  else requestMove(next, entry.move);
}

function close(next: NextFloor): void {
  next.isClosed = true;
  next.open = [];
  next.parked = [];
  next.held = [];
  next.turns = [];
}
