import { type Client, errorText, RequestError } from "../api/client.ts";
import { envelopeOf, type OutgoingUtterance, utteranceOf } from "../api/envelopes.ts";
import type { PartialRefusal } from "../api/types.ts";
import { storageKey, tabStorage } from "./storage.ts";
import type { Unsent } from "./types.ts";

export type Outbox = {
  /** Resolves when the floor has it, or when it waits for a better time; rejects when the floor refuses it. */
  say(saying: Omit<OutgoingUtterance, "id" | "at">): Promise<void>;
  retry(dialogEventId: string): Promise<void>;
  discard(dialogEventId: string): void;
  /** It stands in the log. */
  seen(dialogEventId: string): void;
  /** The log tells that nobody heard it. */
  refused(dialogEventId: string, problem: string): void;
  /** Whoever convened does so no longer: what it was thinking about is said by nobody. */
  convenerChanged(): void;
  /** The floor is there again. */
  flush(): void;
  unsent(): readonly Unsent[];
  close(): void;
};

type Options = {
  client: Client;
  conversation: string;
  me: string;
  onChange: () => void;
  /** Somebody decides when words without the floor are heard, and may take long. */
  isConvened: () => boolean;
};

type StoredUtterance = OutgoingUtterance & Pick<Unsent, "state" | "problem">;

const retryMs = 3_000;
/** So long the log may take to show what the floor has taken, where nobody convenes. */
const takenMs = 60_000;

const convenerChangedText = "The convener changed before others heard this.";

/**
 * What a person said, until it is seen in the log. It is sent again after any cut and reload: by its id the floor takes
 * it once.
 */
export function createOutbox({ client, conversation, me, onChange, isConvened }: Options): Outbox {
  const kept = createUnsentStore(storageKey("unsent", me, conversation), onChange);
  const { later, stop } = createTimers();
  let sending: Promise<void> | undefined;
  let isClosed = false;

  async function send(saying: StoredUtterance): Promise<void> {
    kept.put(saying.id, { state: "sending" });
    const { state: _, problem: __, ...said } = saying;
    const envelope = envelopeOf(conversation, me, [utteranceOf(me, said)]);
    const { refused = [] } = await client.post<{ refused?: PartialRefusal[] }>("/openfloor", envelope);
    if (isClosed) return;
    if (refused[0] !== undefined) throw new RequestError(refused[0].problem, 422);
    kept.put(saying.id, { state: "taken" });
    later(takenMs, () => forget(saying.id));
  }
  const forget = (id: string) => {
    if (!kept.isTaken(id)) return;
    if (isConvened()) later(takenMs, () => forget(id));
    else kept.discard(id);
  };

  /** One after the other, in the order in which they were said. */
  async function run(): Promise<void> {
    for (let next = waiting(); next !== undefined; next = waiting()) {
      try {
        await send(next);
      } catch (error) {
        // Whoever opened this conversation anew sends what is kept.
        if (isClosed) return;
        const isTemporary = error instanceof RequestError && error.isTemporary;
        kept.put(next.id, { state: isTemporary ? "waiting" : "refused", problem: inUserWords(errorText(error)) });
        if (isTemporary) return later(retryMs, flush);
      }
    }
  }
  const waiting = () => (isClosed ? undefined : kept.next());
  const flush = () => {
    sending ??= run().finally(() => {
      sending = undefined;
    });
  };
  if (kept.all().length > 0) flush();

  return {
    async say(saying) {
      const id = newId();
      kept.add({ ...saying, id, at: new Date().toISOString(), state: "sending" });
      flush();
      await sending;
      const left = kept.find(id);
      if (left?.state !== "refused") return;
      kept.discard(id);
      throw new Error(left.problem);
    },
    async retry(id) {
      // The floor knows the id of what it refused, and would take the words for what it has had already.
      kept.put(id, { state: "waiting", ...(kept.find(id)?.state === "refused" && { id: newId() }) });
      flush();
      await sending;
    },
    discard: kept.discard,
    seen: kept.discard,
    // While it is on its way, the answer tells: whoever said it waits for that.
    refused: (id, problem) => kept.fail(id, inUserWords(problem)),
    convenerChanged: () => kept.all().map(({ id }) => kept.fail(id, convenerChangedText)),
    flush,
    unsent: () => kept.all().map(unsentOf),
    close() {
      isClosed = true;
      stop();
    },
  };
}

function createTimers() {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  return {
    later(afterMs: number, run: () => void) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, afterMs);
      timers.add(timer);
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The floor names the event; a person has a button for it. */
const inUserWords = (problem: string) => problem.replace("send requestFloor", "raise your hand to ask for it");

const newId = () => `de:${crypto.randomUUID()}`;

function unsentOf({ id: dialogEventId, text, to, isWhisper = false, at, state, problem }: StoredUtterance): Unsent {
  return {
    ...{ dialogEventId, text, isWhisper, at, state },
    ...(to !== undefined && { to }),
    ...(problem !== undefined && { problem }),
  };
}

/** What was said and is not in the log yet, in its order; a reload of this tab does not forget it. */
function createUnsentStore(key: string, onChange: () => void) {
  let kept: readonly StoredUtterance[] = read(key);
  const change = (next: readonly StoredUtterance[]) => {
    kept = next;
    tabStorage.put(key, kept.length === 0 ? undefined : kept);
    onChange();
  };
  const find = (id: string) => kept.find((one) => one.id === id);
  const isTaken = (id: string) => find(id)?.state === "taken";
  const put = (id: string, facts: Partial<StoredUtterance>) =>
    change(kept.map((one) => (one.id === id ? { ...one, ...facts } : one)));
  return {
    ...{ find, isTaken, put },
    all: () => kept,
    next: () => kept.find(isPending),
    add: (saying: StoredUtterance) => change([...kept, saying]),
    /** The floor had taken it, and it is not heard. */
    fail: (id: string, problem: string) => {
      if (isTaken(id)) put(id, { state: "refused", problem });
    },
    discard: (id: string) => {
      if (find(id) !== undefined) change(kept.filter((one) => one.id !== id));
    },
  };
}

function read(key: string): readonly StoredUtterance[] {
  const found = tabStorage.read(key);
  return Array.isArray(found) ? found.filter(isPending) : [];
}

const isPending = (one?: StoredUtterance) => one?.state === "sending" || one?.state === "waiting";
