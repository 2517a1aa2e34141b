import { ann, ben, from, says } from "@plenary/floor/testing/room";
import { expect, test } from "vitest";
import { recorder } from "../testing/recorder.ts";
import { stripOf } from "./floor-use.ts";
import { recordingOf } from "./recording.ts";

function strip({ log }: ReturnType<typeof recorder>) {
  const { stepOfEntry, inputs, endsAt } = recordingOf("conv:1", log);
  return stripOf({ entries: log, stepOfEntry }, inputs.length, endsAt);
}

const laneOf = (record: ReturnType<typeof recorder>, speakerUri: string) =>
  strip(record).lanes.find((lane) => lane.speakerUri === speakerUri);

test("a request that is granted at once has no waiting time, and the floor is held from that step on", () => {
  const record = recorder();
  record.happen(from(ben, { eventType: "yieldFloor" }));
  record.happen(from(ben, { eventType: "requestFloor" }));
  record.happen(from(ben, says(ben, "hello")));
  const lane = laneOf(record, ben);
  expect(lane?.use).toEqual({ heldMs: 3_000, waitedMs: 0, waits: 0, heard: 1, refused: 0 });
  expect(lane?.spans).toEqual([
    { kind: "absent", from: 0, to: 1 },
    { kind: "held", from: 1, to: 3 },
    { kind: "held", from: 4, to: 6 },
  ]);
  expect(lane?.marks).toEqual([{ step: 5, kind: "heard" }]);
});

test("a floor that is yielded and granted again within one step is held throughout", () => {
  const record = recorder();
  record.happen(from(ben, { eventType: "yieldFloor" }, { eventType: "requestFloor" }));
  record.happen(from(ann, says(ann, "hello")));
  expect(laneOf(record, ben)?.spans).toEqual([
    { kind: "absent", from: 0, to: 1 },
    { kind: "held", from: 1, to: 5 },
  ]);
});
