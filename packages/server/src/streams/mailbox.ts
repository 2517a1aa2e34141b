import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";

type StoredMessage = { number: number; bytes: Buffer };
type SpeakerMailbox = { posted: StoredMessage[]; bytes: number };

/** What other floors sent to people here (D25). No conversation of ours, so no log of ours: the newest are kept in memory. */
export type Mailbox = {
  put(speaker: string, document: Record<string, unknown>): StoredMessage;
  since(speaker: string, number: number): readonly StoredMessage[];
};

export function createMailbox(limits: StreamLimits, clock: Clock): Mailbox {
  const boxes = createBoxes(limits);
  let last = 0;
  /** Too large to be kept: there until those who look on now have been shown it. */
  let inHand: { speaker: string; posted: StoredMessage } | undefined;
  return {
    put(speaker, document) {
      // Counted by the clock, so that numbers go on after a restart.
      last = Math.max(last + 1, clock.now());
      const posted = { number: last, bytes: bytesOf(JSON.stringify({ ...document, relayed: last })) };
      if (posted.bytes.length <= limits.mailboxBytesMax) {
        boxes.add(speaker, posted);
        return posted;
      }
      inHand = { speaker, posted };
      queueMicrotask(() => {
        if (inHand?.posted === posted) inHand = undefined;
      });
      return posted;
    },
    since(speaker, number) {
      const mine = inHand?.speaker === speaker ? [inHand.posted] : [];
      return [...boxes.of(speaker), ...mine].filter((posted) => posted.number > number);
    },
  };
}

/** Not from the pool that small buffers share: a few bytes that are kept would keep thousands with them. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function createBoxes({ mailboxMax, mailboxesMax, mailboxBytesMax, mailboxesBytesMax }: StreamLimits) {
  /** In the order in which they were written to last. */
  const boxes = new Map<string, SpeakerMailbox>();
  let bytes = 0;
  const grow = (box: SpeakerMailbox, by: number) => {
    box.bytes += by;
    bytes += by;
  };
  const dropFirst = (speaker: string, box: SpeakerMailbox) => {
    grow(box, -(box.posted.shift()?.bytes.length ?? 0));
    if (box.posted.length === 0) boxes.delete(speaker);
  };
  return {
    of: (speaker: string): readonly StoredMessage[] => boxes.get(speaker)?.posted ?? [],
    add(speaker: string, posted: StoredMessage): void {
      const box = boxes.get(speaker) ?? { posted: [], bytes: 0 };
      boxes.delete(speaker);
      boxes.set(speaker, box);
      box.posted.push(posted);
      grow(box, posted.bytes.length);
      while (box.posted.length > mailboxMax || box.bytes > mailboxBytesMax) dropFirst(speaker, box);
      const [oldest] = boxes;
      if (boxes.size > mailboxesMax && oldest !== undefined) {
        boxes.delete(oldest[0]);
        grow(oldest[1], -oldest[1].bytes);
      }
      // From the fullest mailbox: a person with little mail loses nothing to those with much.
      while (bytes > mailboxesBytesMax) dropFirst(...fullestOf(boxes));
    },
  };
}

/** Of several as full, the one that was written to longest ago. */
function fullestOf(boxes: ReadonlyMap<string, SpeakerMailbox>): [string, SpeakerMailbox] {
  return [...boxes].reduce((fullest, one) => (one[1].bytes > fullest[1].bytes ? one : fullest));
}
