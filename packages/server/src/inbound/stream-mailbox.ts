import type { Clock } from "../ports.ts";
import type { StreamLimits } from "./stream-limits.ts";

type Posted = { number: number; bytes: Buffer };

/** What other floors sent to people here (D25). No conversation of ours, so no log of ours: the newest are kept in memory. */
export type Mailbox = {
  put(speaker: string, document: Record<string, unknown>): Posted;
  since(speaker: string, number: number): readonly Posted[];
};

export function createMailbox(limits: StreamLimits, clock: Clock): Mailbox {
  const boxes = new Map<string, Posted[]>();
  let last = 0;
  return {
    put(speaker, document) {
      // Counted by the clock, so that numbers go on after a restart.
      last = Math.max(last + 1, clock.now());
      const posted = { number: last, bytes: Buffer.from(JSON.stringify({ ...document, relayed: last })) };
      const box = boxes.get(speaker) ?? [];
      boxes.delete(speaker);
      boxes.set(speaker, [...box, posted].slice(-limits.mailboxMax));
      const [oldest] = boxes.keys();
      if (boxes.size > limits.mailboxesMax && oldest !== undefined) boxes.delete(oldest);
      return posted;
    },
    since: (speaker, number) => boxes.get(speaker)?.filter((posted) => posted.number > number) ?? [],
  };
}
