import { type Client, errorText, RequestError } from "../api/client.ts";
import { envelopeOf, type OutgoingUtterance, utteranceOf } from "../api/envelopes.ts";
import type { PartialRefusal } from "../api/types.ts";
import { texts } from "../texts/texts.ts";
import { storageKey, tabStorage } from "./storage.ts";
import type { Unsent } from "./types.ts";

export type Outbox = {
  /**
   * Resolves when the server has accepted the utterance or it waits for a retry; rejects when the server refuses it.
   */
  say(saying: Omit<OutgoingUtterance, "id" | "at">): Promise<void>;
  retry(dialogEventId: string): Promise<void>;
  discard(dialogEventId: string): void;
  /** The utterance is in the log. */
  seen(dialogEventId: string): void;
  /** The log says that the utterance was refused. */
  refused(dialogEventId: string, problem: string): void;
  /** The convener changed: utterances that it held back will not be delivered. */
  convenerChanged(): void;
  /** The connection is back: sends what waits. */
  flush(): void;
  unsent(): readonly Unsent[];
  close(): void;
};

type Options = {
  client: Client;
  conversation: string;
  me: string;
  onChange: () => void;
  /** A convener decides when utterances without the floor are delivered, which may take long. */
  isConvened: () => boolean;
};

type StoredUtterance = OutgoingUtterance & Pick<Unsent, "state" | "problem">;

const retryMs = 3_000;
/** Without a convener, an accepted utterance should appear in the log within this time. */
const takenMs = 60_000;

/** Utterances that are not in the log yet. They are sent again after a cut or reload; the server deduplicates by id. */
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

  /** Sends one at a time, in order. */
  async function run(): Promise<void> {
    for (let next = waiting(); next !== undefined; next = waiting()) {
      try {
        await send(next);
      } catch (error) {
        // A new store for this conversation sends the stored utterances.
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
      // The server would treat the id of a refused utterance as a duplicate.
      kept.put(id, { state: "waiting", ...(kept.find(id)?.state === "refused" && { id: newId() }) });
      flush();
      await sending;
    },
    discard: kept.discard,
    seen: kept.discard,
    // While the request is pending, its response reports the refusal.
    refused: (id, problem) => kept.fail(id, inUserWords(problem)),
    convenerChanged: () => kept.all().map(({ id }) => kept.fail(id, texts.errors.convenerChanged)),
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

/** The server names the event; people have a button for it. */
const inUserWords = (problem: string) => problem.replace("send requestFloor", texts.errors.raiseYourHand);

const newId = () => `de:${crypto.randomUUID()}`;

function unsentOf({ id: dialogEventId, text, to, isWhisper = false, at, state, problem }: StoredUtterance): Unsent {
  return {
    dialogEventId,
    text,
    isWhisper,
    at,
    state,
    ...(to !== undefined && { to }),
    ...(problem !== undefined && { problem }),
  };
}

/** Stored utterances that are not in the log yet, in order. They survive a reload of this tab. */
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
    find,
    isTaken,
    put,
    all: () => kept,
    next: () => kept.find(isPending),
    add: (saying: StoredUtterance) => change([...kept, saying]),
    /** The server had accepted it, but it was not delivered. */
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
