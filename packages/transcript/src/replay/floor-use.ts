import type { Entry } from "@plenary/floor";
import type { Identification } from "@plenary/protocol";
import { floorHistory, type Lane } from "../floor-history/floor-history.ts";
import type { Span } from "../floor-history/lane.ts";
import type { Mark } from "../floor-history/read-entries.ts";
import { createKnownPeople } from "../people/known-people.ts";
import { actualSpeakersIn } from "./utterance-outcomes.ts";

/** A log, and which recorded input each of its entries belongs to. */
export type SteppedLog = { entries: readonly Entry[]; stepOfEntry: readonly number[] };

/** Who held the floor when, on the axis that both logs share: the recorded inputs. Spans are [from, to). */
export type StripLane = {
  speakerUri: string;
  kind?: "person" | "agent";
  spans: readonly Span[];
  marks: readonly { step: number; kind: "heard" | "refused" }[];
  use: FloorUse;
};

/** A lane in numbers. */
export type FloorUse = {
  heldMs: number;
  waitedMs: number;
  waits: number;
  heard: number;
  /** Refused utterances. */
  refused: number;
};

export type Strip = { lanes: readonly StripLane[]; pauses: number };

export function stripOf({ entries, stepOfEntry }: SteppedLog, steps: number, endsAt: string): Strip {
  // Numbered from 1 without a gap (D3).
  const stepAt = (seq: number) => stepOfEntry[seq - 1] ?? steps;
  const msAt = (seq: number) => Date.parse(entries[seq - 1]?.at ?? endsAt);
  const { lanes, marks, pauses } = floorHistory(entries, peopleIn(entries));
  const speakers = actualSpeakersIn(entries);
  const rowOf = ({ seq, row }: Mark) => {
    const speaker = speakers.get(seq);
    const spoken = speaker === undefined ? -1 : lanes.findIndex(({ speakerUri }) => speakerUri === speaker);
    return spoken === -1 ? row : spoken;
  };
  return {
    lanes: lanes.map((lane, row) =>
      laneOf(
        lane,
        marks.filter((mark) => rowOf(mark) === row),
        { stepAt, msAt },
      ),
    ),
    pauses: pauses.length,
  };
}

/** Every conversant of a log, by every name. */
export function peopleIn(entries: readonly Entry[]): ReadonlyMap<string, Identification> {
  const people = createKnownPeople();
  for (const entry of entries) {
    if (entry.kind === "opened" && entry.owner !== undefined) people.hear(entry.owner.identification);
    else if (entry.kind === "seated") people.hear(entry.seat.identification);
    else if (entry.kind === "renamed") people.hear(entry.identification, entry.from);
  }
  return people.all();
}

type Axis = { stepAt: (seq: number) => number; msAt: (seq: number) => number };

function laneOf({ speakerUri, kind, spans }: Lane, marks: readonly Mark[], { stepAt, msAt }: Axis): StripLane {
  const msOf = (kind: Span["kind"]) =>
    spans.filter((span) => span.kind === kind).reduce((sum, { from, to }) => sum + msAt(to) - msAt(from), 0);
  const stepped = spans.map(({ kind, from, to }) => ({ kind, from: stepAt(from), to: stepAt(to) }));
  const asked = stepped.filter(({ kind, from, to }) => kind === "asked" && to > from);
  const refused = marks.filter(({ kind }) => kind === "refused");
  return {
    speakerUri,
    ...(kind && { kind }),
    spans: joined(stepped.filter(({ from, to }) => to > from)),
    marks: marks.flatMap(({ kind, seq }) => {
      if (kind !== "utterance" && kind !== "refused") return [];
      return [{ step: stepAt(seq), kind: kind === "utterance" ? ("heard" as const) : kind }];
    }),
    use: {
      heldMs: msOf("held"),
      waitedMs: msOf("asked"),
      waits: asked.length,
      heard: marks.filter(({ kind }) => kind === "utterance").length,
      refused: refused.filter(({ entry }) => "event" in entry && entry.event?.eventType === "utterance").length,
    },
  };
}

/** Joins spans that end and begin again within one step. */
function joined(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of spans) {
    const before = kept.findLast(({ kind }) => kind === span.kind);
    if (before === undefined || before.to < span.from) kept.push({ ...span });
    else before.to = Math.max(before.to, span.to);
  }
  return kept;
}
