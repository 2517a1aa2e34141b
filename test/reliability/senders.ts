// People who record which of their utterances were acknowledged. They repeat the others, unchanged.

import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { token } from "../support/start-test-floor.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Answer, post } from "./raw-http.ts";

export const authorization = { authorization: `Bearer ${token}` };

/** Open while the floor runs. */
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
  /** The acknowledged place in the log; undefined when the acknowledgement only said that it was known already. */
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

/** An upper limit, so that the test cannot hang: the floor may be down meanwhile. */
const acknowledgedMsMax = 300_000;

/** Sends the next utterance when the last one is acknowledged and `untilHeard` resolves for it, until `isOver`. */
export async function talk(
  talker: Talker,
  gate: Gate,
  isOver: () => boolean,
  untilHeard: (dialogEventId: string) => Promise<unknown> = async () => {},
): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const id = `${talker.conversation}-${count}`;
    await sayOnce(talker, gate, id);
    await untilHeard(id);
  }
}

async function sayOnce(talker: Talker, gate: Gate, id: string): Promise<void> {
  const { conversation, speaker } = talker;
  const event: Json = utterance(speaker, `say ${id}`, { id });
  const body = JSON.stringify(envelopeOf(conversation, speaker, [event]));
  const isAcknowledged = async () => {
    const url = await gate.open();
    const answer = await post(`${url}/openfloor`, body, { ...authorization, "idempotency-key": id }).catch(
      () => undefined,
    );
    if (answer?.status === 200) {
      talker.acknowledged.push({ dialogEventId: id, seq: seqIn(answer) });
      return true;
    }
    if (answer !== undefined && answer.status !== 429 && answer.status !== 503) {
      throw new Error(`${answer.status} ${answer.text}`);
    }
    if (answer === undefined) talker.repeated += 1;
    else talker.busy += 1;
    return false;
  };
  await waitFor(isAcknowledged, `the acknowledgement of ${id}`, acknowledgedMsMax);
}
