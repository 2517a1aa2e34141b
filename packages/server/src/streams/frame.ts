import type { Entry, Floor } from "@plenary/floor";
import { briefEntryFor, documentOf, eventFor } from "../conversation/conversation-view.ts";
import { maySee, type Reader, type Visibility, visibilityOf } from "../conversation/visibility.ts";

/** An entry for viewers, with the floor before and after it. */
export type ViewerFrame = {
  entry: Entry;
  before: Floor;
  after: Floor;
  /** The bytes for this reader, shared by all readers with the same view; undefined when it may not see the entry. */
  bytesFor(reader: Reader): Buffer | undefined;
};

/** Encodes the entry at most once per view, for any number of viewers. */
export function frameOf(entry: Entry, before: Floor, after: Floor): ViewerFrame {
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

/** Outside the frame, because most frames are read without a brief view. */
const briefs = new WeakMap<ViewerFrame, Map<Visibility, Buffer>>();

/** The entry in the brief view of the log. All readers with the same visibility share the bytes. */
export function briefOf(frame: ViewerFrame, reader: Reader): Buffer {
  const written = briefs.get(frame) ?? new Map<Visibility, Buffer>();
  briefs.set(frame, written);
  const { entry } = frame;
  const visibility = visibilityOf(entry, reader);
  const known = written.get(visibility);
  if (known !== undefined) return known;
  const bytes = Buffer.from(JSON.stringify({ entry: briefEntryFor(entry, reader), seq: entry.seq }));
  written.set(visibility, bytes);
  return bytes;
}
