// People who speak at a steady pace and write down what was acknowledged. What was not, they say again, as it was.

import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { seeded } from "../support/random.ts";
import { token } from "../support/start-test-floor.ts";
import { type Answer, post } from "./raw-http.ts";

export const authorization = { authorization: `Bearer ${token}` };

/** Open while the floor is there. */
export type Gate = { open: () => Promise<string>; let: (url: string) => void; shut: () => void };

export function createGate(): Gate {
  let pass: (url: string) => void = () => {};
  let here = new Promise<string>((resolve) => {
    pass = resolve;
  });
  return {
    open: () => here,
    let: (url) => pass(url),
    shut() {
      here = new Promise((resolve) => {
        pass = resolve;
      });
    },
  };
}

type Spoken = {
  dialogEventId: string;
  /** Where it took effect, as the acknowledgement said; undefined when it only said that it was known already. */
  seq: { first: number; last: number } | undefined;
};

export type Talker = {
  conversation: string;
  speaker: string;
  /** In the order in which they were said. */
  acknowledged: Spoken[];
  repeated: number;
  busy: number;
};

export function newTalker(conversation: string): Talker {
  const speaker = `tag:people.example,2026:${conversation}`;
  return { conversation, speaker, acknowledged: [], repeated: 0, busy: 0 };
}

function seqIn({ headers }: Answer): Spoken["seq"] {
  const found = /^(\d+)-(\d+)$/u.exec(String(headers["plenary-seq"] ?? ""));
  return found === null ? undefined : { first: Number(found[1]), last: Number(found[2]) };
}

/** Sends utterances until `isOver`; the last one is acknowledged before this resolves. */
export async function talk(talker: Talker, gate: Gate, everyMs: number, isOver: () => boolean): Promise<void> {
  // Senders start at different moments of the interval, the same ones in each run.
  const startShare =
    seeded([...talker.conversation].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))(1_000) / 1_000;
  let next = performance.now() + startShare * everyMs;
  for (let count = 0; !isOver(); count += 1) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    next = Math.max(next + everyMs, performance.now());
    await sayOnce(talker, gate, `${talker.conversation}-${count}`);
  }
}

async function sayOnce(talker: Talker, gate: Gate, id: string): Promise<void> {
  const { conversation, speaker } = talker;
  const event: Json = utterance(speaker, `say ${id}`, { id });
  const body = JSON.stringify(envelopeOf(conversation, speaker, [event]));
  for (;;) {
    const url = await gate.open();
    const answer = await post(`${url}/openfloor`, body, { ...authorization, "idempotency-key": id }).catch(
      () => undefined,
    );
    if (answer?.status === 200) {
      talker.acknowledged.push({ dialogEventId: id, seq: seqIn(answer) });
      return;
    }
    if (answer !== undefined && answer.status !== 429 && answer.status !== 503) {
      throw new Error(`${answer.status} ${answer.text}`);
    }
    if (answer === undefined) talker.repeated += 1;
    else talker.busy += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
