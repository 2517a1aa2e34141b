import type { Entry } from "@plenary/floor";
import { type FloorUse, type SteppedLog, type Strip, type StripLane, stripOf } from "./floor-use.ts";
import type { Recording } from "./recorded-input.ts";
import { type Outcome, outcomesOf } from "./utterance-outcomes.ts";

type Side = "recorded" | "replayed";

/** A difference between the log and its replay. It contains no text of utterances. */
export type Difference =
  | {
      kind: "utterance";
      speakerUri: string;
      dialogEventId: string;
      isWhisper?: true;
      at?: string;
      was: Outcome["what"];
      would: Outcome["what"];
      /** The rule id in the replay. */
      because?: string;
      /** Heard in both: the delay in the replay. */
      laterMs?: number;
    }
  | { kind: "seat"; speakerUri: string; eventType: string; by: string; at: string; only: Side; because: string }
  | { kind: "floor"; speakerUri: string; was?: FloorUse; would?: FloorUse }
  | { kind: "lapse" | "pause" | "ending"; was: number; would: number };

export type Comparison = {
  /** The length of the axis: one step for each recorded input. */
  steps: number;
  was: Strip;
  would: Strip;
  differences: readonly Difference[];
};

/** `aside`: the old and new conveners, whose differences are the change itself and are left out. */
export function compare(
  was: SteppedLog,
  would: SteppedLog,
  recording: Recording,
  aside: ReadonlySet<string>,
): Comparison {
  const steps = recording.inputs.length;
  const strips = [stripOf(was, steps, recording.endsAt), stripOf(would, steps, recording.endsAt)] as const;
  const differences = [
    ...utterances(was.entries, would.entries),
    ...seats(was.entries, would.entries),
    ...floors(...strips),
  ].filter((one) => !aside.has(one.speakerUri) || isRemoval(one));
  return {
    steps,
    was: strips[0],
    would: strips[1],
    differences: [...differences, ...overallDifferences(was, would, strips)],
  };
}

/** The removal of a convener is a result of the replay, its invite is not. */
function isRemoval(one: Difference): boolean {
  return one.kind === "seat" && one.only === "replayed" && one.eventType !== "invite";
}

type DifferenceOf<Kind extends Difference["kind"]> = Extract<Difference, { kind: Kind }>;
type OverallDifference = Exclude<Difference, DifferenceOf<"utterance"> | DifferenceOf<"seat"> | DifferenceOf<"floor">>;

function utterances(was: readonly Entry[], would: readonly Entry[]): DifferenceOf<"utterance">[] {
  const [before, after] = [outcomesOf(was), outcomesOf(would)];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    const known = one ?? other;
    if (known === undefined) return [];
    const [then, now]: [Outcome, Outcome] = [one?.outcome ?? { what: "unsaid" }, other?.outcome ?? { what: "unsaid" }];
    const isBothHeard = then.what === "heard" && now.what === "heard";
    const laterMs = isBothHeard ? Date.parse(now.at ?? "") - Date.parse(then.at ?? "") : 0;
    if (then.what === now.what && laterMs === 0) return [];
    const { sender: speakerUri, dialogEventId, isWhisper } = known;
    const at = then.at ?? now.at;
    return [
      {
        kind: "utterance" as const,
        speakerUri,
        dialogEventId,
        was: then.what,
        would: now.what,
        ...(isWhisper && { isWhisper: true as const }),
        ...(at !== undefined && { at }),
        ...(now.because !== undefined && { because: now.because }),
        ...(laterMs !== 0 && { laterMs }),
      },
    ];
  });
}

const seatTypes: ReadonlySet<string> = new Set(["invite", "uninvite", "declineInvite", "bye"]);

type SeatEvent = Entry & { kind: "event" };

/** Invites, removals and departures in only one of the logs. Equal events are matched in order. */
function seats(was: readonly Entry[], would: readonly Entry[]): DifferenceOf<"seat">[] {
  const [before, after] = [seatEvents(was), seatEvents(would)];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before.get(key) ?? [], after.get(key) ?? []];
    return [
      ...one.slice(other.length).map((entry) => seatDifference(entry, "recorded")),
      ...other.slice(one.length).map((entry) => seatDifference(entry, "replayed")),
    ];
  });
}

function seatEvents(entries: readonly Entry[]): Map<string, SeatEvent[]> {
  const found = new Map<string, SeatEvent[]>();
  for (const entry of entries) {
    if (entry.kind !== "event" || entry.target === undefined || !seatTypes.has(entry.event.eventType)) continue;
    const key = JSON.stringify([entry.event.eventType, entry.target]);
    const earlier = found.get(key);
    if (earlier === undefined) found.set(key, [entry]);
    else earlier.push(entry);
  }
  return found;
}

function seatDifference({ event, target = "", sender: by, at, because }: SeatEvent, only: Side): DifferenceOf<"seat"> {
  return { kind: "seat", speakerUri: target, eventType: event.eventType, by, at, only, because };
}

function floors(was: Strip, would: Strip): DifferenceOf<"floor">[] {
  const names = new Set([...was.lanes, ...would.lanes].map(({ speakerUri }) => speakerUri));
  return [...names].flatMap((speakerUri) => {
    const [one, other] = [laneOf(was, speakerUri), laneOf(would, speakerUri)];
    if (one !== undefined && other !== undefined && isSameLane(one, other)) return [];
    return [{ kind: "floor", speakerUri, ...(one && { was: one.use }), ...(other && { would: other.use }) }];
  });
}

export function laneOf({ lanes }: Strip, speakerUri: string): StripLane | undefined {
  return lanes.find((lane) => lane.speakerUri === speakerUri);
}

export function isSameLane(one: StripLane, other: StripLane): boolean {
  const shown = ({ spans, marks, use }: StripLane) => JSON.stringify([spans, marks, use]);
  return shown(one) === shown(other);
}

/** Differences of the conversation as a whole. */
function overallDifferences(
  was: SteppedLog,
  would: SteppedLog,
  [one, other]: readonly [Strip, Strip],
): OverallDifference[] {
  const lapses = ({ entries }: SteppedLog) => entries.filter(({ because }) => because === "convener/lapsed").length;
  const endings = ({ entries }: SteppedLog) => entries.filter(({ kind }) => kind === "closed").length;
  const all: OverallDifference[] = [
    { kind: "lapse", was: lapses(was), would: lapses(would) },
    { kind: "pause", was: one.pauses, would: other.pauses },
    { kind: "ending", was: endings(was), would: endings(would) },
  ];
  return all.filter((each) => each.was !== each.would);
}
