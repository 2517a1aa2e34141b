import type { Entry, Floor } from "@plenary/floor";
import { briefEntryFor, documentOf, eventFor } from "../conversation/conversation-view.ts";
import { maySee, type Reader, type Visibility, visibilityOf } from "../conversation/visibility.ts";

/** An entry on its way to viewers, with the floor before and after it. */
export type ViewerFrame = {
  entry: Entry;
  before: Floor;
  after: Floor;
  /** The bytes this reader gets, shared by all who see the same; undefined when there is nothing for it. */
  bytesFor(reader: Reader): Buffer | undefined;
};

/** Encoded at most once for each kind of view, however many viewers there are. */
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

/** Beside the frame: those who are shown events only pay nothing for it. */
const briefs = new WeakMap<ViewerFrame, Map<Visibility, Buffer>>();

/** The entry as the brief log shows it to this reader; the bytes are shared by all who see it in the same way. */
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
