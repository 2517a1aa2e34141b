import type { Entry, Floor } from "@plenary/floor";
import { eventFor, maySee, type Reader } from "../view.ts";
import { documentOf } from "../wait.ts";

/** An entry on its way to viewers, with the floor before and after it. */
export type Frame = {
  entry: Entry;
  before: Floor;
  after: Floor;
  /** The bytes this reader gets, shared by all who see the same; undefined when there is nothing for it. */
  bytesFor(reader: Reader): Buffer | undefined;
};

/** Written at most once for each way of seeing it, whoever many look on. */
export function frameOf(entry: Entry, before: Floor, after: Floor): Frame {
  let whole: Buffer | undefined;
  let partial: Buffer | undefined;
  return {
    entry,
    before,
    after,
    bytesFor(reader) {
      if (entry.kind !== "event" || !maySee(entry, reader)) return undefined;
      const event = eventFor(entry.event, entry.sender, reader);
      const write = () =>
        Buffer.from(JSON.stringify({ ...documentOf(after, entry.sender, [event], "1.1"), seq: entry.seq }));
      if (event === entry.event) {
        whole ??= write();
        return whole;
      }
      partial ??= write();
      return partial;
    },
  };
}
