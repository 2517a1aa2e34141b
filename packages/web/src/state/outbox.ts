import { type Client, FloorProblem, problemText } from "../wire/client.ts";
import { envelopeOf, type Saying, utteranceOf } from "../wire/envelopes.ts";
import { keyOf } from "../wire/keeping.ts";
import type { PartialRefusal } from "../wire/types.ts";
import { createKeptSayings, type Kept } from "./kept-sayings.ts";
import type { Unsent } from "./types.ts";

export type Outbox = {
  /** Resolves when the floor has it, or when it waits for a better time; rejects when the floor refuses it. */
  say(saying: Omit<Saying, "id" | "at">): Promise<void>;
  retry(dialogEventId: string): Promise<void>;
  discard(dialogEventId: string): void;
  /** It stands in the log. */
  seen(dialogEventId: string): void;
  /** The floor is there again. */
  flush(): void;
  unsent(): readonly Unsent[];
  close(): void;
};

type Options = { client: Client; conversation: string; me: string; onChange: () => void };

const retryMs = 3_000;
/** So long the log may take to show what the floor has taken: a convener may think about it. */
const takenMs = 60_000;

/**
 * What a person said, until it is seen in the log. It is sent again after any cut and reload: by its id the floor takes
 * it once.
 */
export function createOutbox({ client, conversation, me, onChange }: Options): Outbox {
  const kept = createKeptSayings(keyOf("unsent", me, conversation), onChange);
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let sending: Promise<void> | undefined;
  let isClosed = false;
  const later = (afterMs: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, afterMs);
    timers.add(timer);
  };

  async function send(saying: Kept): Promise<void> {
    kept.put(saying.id, { state: "sending" });
    const { state: _, problem: __, ...said } = saying;
    const envelope = envelopeOf(conversation, me, [utteranceOf(me, said)]);
    const { refused = [] } = await client.post<{ refused?: PartialRefusal[] }>("/openfloor", envelope);
    if (isClosed) return;
    if (refused[0] !== undefined) throw new FloorProblem(refused[0].problem, 422);
    kept.put(saying.id, { state: "taken" });
    later(takenMs, () => kept.discard(saying.id));
  }

  /** One after the other, in the order in which they were said. */
  async function run(): Promise<void> {
    for (let next = waiting(); next !== undefined; next = waiting()) {
      try {
        await send(next);
      } catch (error) {
        // Whoever opened this conversation anew sends what is kept.
        if (isClosed) return;
        const isPassing = error instanceof FloorProblem && error.isPassing;
        kept.put(next.id, { state: isPassing ? "waiting" : "refused", problem: problemText(error) });
        if (!isPassing) continue;
        later(retryMs, flush);
        return;
      }
    }
  }
  const waiting = () =>
    isClosed ? undefined : kept.all().find(({ state }) => state === "sending" || state === "waiting");
  const flush = () => {
    sending ??= run().finally(() => {
      sending = undefined;
    });
  };
  if (kept.all().length > 0) flush();

  return {
    async say(saying) {
      const id = `de:${crypto.randomUUID()}`;
      kept.add({ ...saying, id, at: new Date().toISOString(), state: "sending" });
      flush();
      await sending;
      const left = kept.find(id);
      if (left?.state !== "refused") return;
      kept.discard(id);
      throw new Error(left.problem);
    },
    async retry(id) {
      kept.put(id, { state: "waiting" });
      flush();
      await sending;
    },
    discard: kept.discard,
    seen: kept.discard,
    flush,
    unsent: () => kept.all().map(unsentOf),
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function unsentOf({ id: dialogEventId, text, to, isWhisper = false, at, state, problem }: Kept): Unsent {
  return {
    ...{ dialogEventId, text, isWhisper, at, state },
    ...(to !== undefined && { to }),
    ...(problem !== undefined && { problem }),
  };
}
