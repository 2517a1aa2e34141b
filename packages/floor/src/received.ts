import type { Carried, Dialect, FloorEvent } from "@plenary/protocol";
import type { Because } from "./because.ts";
import { append, type Draft, type Origin } from "./draft.ts";
import type { ReceivedEntry } from "./entry.ts";
import type { Floor } from "./floor.ts";
import type { LeftOutEvent } from "./input.ts";

/** How it came in. */
type Manner = {
  dialect?: Dialect;
  carried?: Carried;
  via?: "operator" | "agent";
  floors?: readonly string[];
  leftOut?: readonly LeftOutEvent[];
};

type Answering = { answers?: string; audience?: readonly string[]; silentTo?: string };

/** The whole accepted envelope, before any of its events takes effect. Only those named may see it. */
export function writeReceived(
  draft: Draft,
  origin: Pick<Origin, "speakerUri" | "turn" | "depth" | "whisperer" | "moved" | "isPassedOn">,
  events: readonly FloorEvent[],
  because: Because,
  { dialect, carried, via, floors, leftOut }: Manner,
  { answers, audience = [origin.speakerUri], silentTo }: Answering = {},
): number {
  const { floor, now: at } = draft;
  const { speakerUri: sender, turn, depth, whisperer, moved, isPassedOn } = origin;
  const entry: ReceivedEntry = {
    seq: floor.seq + 1,
    at,
    kind: "received",
    turn,
    because,
    audience,
    sender,
    events,
    depth,
  };
  if (answers !== undefined) entry.answers = answers;
  if (dialect !== undefined) entry.dialect = dialect;
  if (via === "operator") entry.via = via;
  if (isPassedOn === true) entry.isPassedOn = true;
  if (whisperer !== undefined) entry.whisperer = whisperer;
  if (moved !== undefined) entry.moved = moved;
  if (silentTo !== undefined) entry.silentTo = silentTo;
  if (floors !== undefined && floors.length > 0) entry.floors = floors.slice(-floorsMax);
  if (leftOut !== undefined && leftOut.length > 0) entry.leftOut = leftOut;
  if (carried?.persistentState !== undefined || carried?.conversantState !== undefined) {
    keepState(floor, entry, carried);
  }
  return append(draft, entry);
}

/** A chain is cut by its depth; its floors are told as far back as that. */
const floorsMax = 16;

const stateBytesMax = 64 * 1024;

/** D19: what older peers ask to keep, as far as there is room. What they only repeat stays whose it was. */
function keepState(floor: Floor, entry: ReceivedEntry, { persistentState = {}, conversantState = {} }: Carried): void {
  let room = stateBytesMax - bytesOf([floor.persistentState, floor.conversantState]);
  const fits = (value: unknown, before: unknown) => {
    const bytes = bytesOf(value) - (before === undefined ? 0 : bytesOf(before));
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const changed = Object.entries(persistentState).filter(([key, value]) => {
    const before = Object.hasOwn(floor.persistentState, key) ? floor.persistentState[key]?.value : undefined;
    return !isEqual(before, value) && fits({ [key]: { by: entry.sender, value } }, before);
  });
  if (changed.length > 0) entry.persistentState = Object.fromEntries(changed);
  const { sender } = entry;
  if (!Object.hasOwn(conversantState, sender)) return;
  const [mine, before] = [conversantState[sender], floor.conversantState[sender]];
  if (!isEqual(before, mine) && fits({ [sender]: mine }, before)) entry.conversantState = mine;
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** In UTF-8, as it is stored. */
function bytesOf(value: unknown): number {
  let bytes = 0;
  for (const letter of JSON.stringify(value) ?? "") {
    const code = letter.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
