import { type Client, errorText, RequestError } from "../api/client.ts";
import { envelopeOf, type OutgoingUtterance, sendEvents, utteranceOf } from "../api/envelopes.ts";
import { texts } from "../texts/texts.ts";
import { storageKey, tabStorage } from "./storage.ts";
import type { Unsent } from "./types.ts";

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
export function createOutbox({ client, conversation, me, onChange, isConvened }: Options) {
  const kept = createUnsentStore(storageKey("unsent", me, conversation), onChange);
  let sending: Promise<void> | undefined;
  let isClosed = false;

  async function send(saying: StoredUtterance): Promise<void> {
    kept.put(saying.id, { state: "sending" });
    const { state: _, problem: __, ...said } = saying;
    await sendEvents(client, envelopeOf(conversation, me, [utteranceOf(me, said)]));
    if (isClosed) return;
    kept.put(saying.id, { state: "taken" });
    setTimeout(forget, takenMs, saying.id);
  }
  const forget = (id: string) => {
    if (isClosed || !kept.isTaken(id)) return;
    if (isConvened()) setTimeout(forget, takenMs, id);
    else kept.discard(id);
  };

  /** Sends one at a time, in order. */
  async function run(): Promise<void> {
    for (let next = kept.next(); next !== undefined && !isClosed; next = kept.next()) {
      try {
        await send(next);
      } catch (error) {
        // A new store for this conversation sends the stored utterances.
        if (isClosed) return;
        const isTemporary = error instanceof RequestError && error.isTemporary;
        kept.put(next.id, { state: isTemporary ? "waiting" : "refused", problem: inUserWords(errorText(error)) });
        if (isTemporary) return void setTimeout(flush, retryMs);
      }
    }
  }
  /** Sends what waits. */
  const flush = () => {
    sending ??= run().finally(() => {
      sending = undefined;
    });
  };
  if (kept.all().length > 0) flush();

  return {
    /** Resolves when the server accepted the utterance or it waits for a retry; rejects when the server refuses it. */
    async say(saying: Omit<OutgoingUtterance, "id" | "at">) {
      const id = newId();
      kept.add({ ...saying, id, at: new Date().toISOString(), state: "sending" });
      flush();
      await sending;
      const left = kept.find(id);
      if (left?.state !== "refused") return;
      kept.discard(id);
      throw new Error(left.problem);
    },
    async retry(id: string) {
      // The server would treat the id of a refused utterance as a duplicate.
      kept.put(id, { state: "waiting", ...(kept.find(id)?.state === "refused" && { id: newId() }) });
      flush();
      await sending;
    },
    discard: kept.discard,
    /** The utterance is in the log. */
    seen: kept.discard,
    /** The log says that the utterance was refused. While the request is pending, its response says so. */
    refused: (id: string, problem: string) => kept.fail(id, inUserWords(problem)),
    /** Utterances that the former convener held back will not be delivered. */
    convenerChanged: () => kept.all().map(({ id }) => kept.fail(id, texts.errors.convenerChanged)),
    flush,
    unsent: () => kept.all().map(unsentOf),
    close() {
      isClosed = true;
    },
  };
}

/** The server names the event; people have a button for it. */
const inUserWords = (problem: string) => problem.replace("send requestFloor", texts.errors.raiseYourHand);

const newId = () => `de:${crypto.randomUUID()}`;

function unsentOf({ id: dialogEventId, isWhisper = false, ...rest }: StoredUtterance): Unsent {
  return { ...rest, dialogEventId, isWhisper };
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
