import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";

type StoredMessage = { number: number; bytes: Buffer };
type SpeakerMailbox = { posted: StoredMessage[]; bytes: number };

/** Relayed envelopes of other floors for people here (D25). They have no log here; the newest are stored in memory. */
export type Mailbox = {
  put(speaker: string, document: Record<string, unknown>): StoredMessage;
  since(speaker: string, number: number): readonly StoredMessage[];
};

export function createMailbox(limits: StreamLimits, clock: Clock): Mailbox {
  const mailboxes = createMailboxes(limits);
  let last = 0;
  /** An envelope too large to be stored: available until the connected viewers have it. */
  let oversized: { speaker: string; posted: StoredMessage } | undefined;
  return {
    put(speaker, document) {
      // Derived from the clock, so numbers keep growing after a restart.
      last = Math.max(last + 1, clock.now());
      const posted = { number: last, bytes: bytesOf(JSON.stringify({ ...document, relayed: last })) };
      if (posted.bytes.length <= limits.mailboxBytesMax) {
        mailboxes.add(speaker, posted);
        return posted;
      }
      oversized = { speaker, posted };
      queueMicrotask(() => {
        if (oversized?.posted === posted) oversized = undefined;
      });
      return posted;
    },
    since(speaker, number) {
      const own = oversized?.speaker === speaker ? [oversized.posted] : [];
      return [...mailboxes.of(speaker), ...own].filter((posted) => posted.number > number);
    },
  };
}

/** Not from the pool of small buffers: a small stored slice would keep the whole pool in memory. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function createMailboxes({ mailboxMax, mailboxesMax, mailboxBytesMax, mailboxesBytesMax }: StreamLimits) {
  /** In the order of their last write. */
  const mailboxes = new Map<string, SpeakerMailbox>();
  let bytes = 0;
  const addBytes = (mailbox: SpeakerMailbox, by: number) => {
    mailbox.bytes += by;
    bytes += by;
  };
  const dropOldest = (speaker: string, mailbox: SpeakerMailbox) => {
    addBytes(mailbox, -(mailbox.posted.shift()?.bytes.length ?? 0));
    if (mailbox.posted.length === 0) mailboxes.delete(speaker);
  };
  return {
    of: (speaker: string): readonly StoredMessage[] => mailboxes.get(speaker)?.posted ?? [],
    add(speaker: string, posted: StoredMessage): void {
      const mailbox = mailboxes.get(speaker) ?? { posted: [], bytes: 0 };
      mailboxes.delete(speaker);
      mailboxes.set(speaker, mailbox);
      mailbox.posted.push(posted);
      addBytes(mailbox, posted.bytes.length);
      while (mailbox.posted.length > mailboxMax || mailbox.bytes > mailboxBytesMax) dropOldest(speaker, mailbox);
      const [oldest] = mailboxes;
      if (mailboxes.size > mailboxesMax && oldest !== undefined) {
        mailboxes.delete(oldest[0]);
        addBytes(oldest[1], -oldest[1].bytes);
      }
      // From the fullest mailbox, so that a flood for one person does not delete the envelopes of others.
      while (bytes > mailboxesBytesMax) dropOldest(...fullestOf(mailboxes));
    },
  };
}

/** Of several equally full ones, the one with the oldest last write. */
function fullestOf(mailboxes: ReadonlyMap<string, SpeakerMailbox>): [string, SpeakerMailbox] {
  return [...mailboxes].reduce((fullest, one) => (one[1].bytes > fullest[1].bytes ? one : fullest));
}
