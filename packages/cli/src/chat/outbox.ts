import { randomUUID } from "node:crypto";
import { FloorError } from "../errors.ts";
import type { ConversationClient, OutgoingUtterance } from "../floor/conversation-client.ts";

type OutgoingText = Omit<OutgoingUtterance, "id" | "at">;
/** `takenMs`: when the floor accepted it. */
type Unsent = OutgoingUtterance & { typed: string; takenMs?: number };

export type Outbox = ReturnType<typeof createOutbox>;

type Options = {
  conversation: Pick<ConversationClient, "say">;
  onChange: () => void;
  /** The floor refused it: the text returns to the input field. */
  onRefused: (typed: string, problem: unknown) => void;
};

const saidMax = 100;
const retryMs = 2_000;
/** How long an accepted utterance is shown as pending: a convener may hold it. */
const shownMaxMs = 60_000;

/** Utterances until they are in the log. They are sent again after a disconnect; the id makes this idempotent. */
export function createOutbox({ conversation, onChange, onRefused }: Options) {
  let kept: readonly Unsent[] = [];
  let said: readonly string[] = [];
  let isSending = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drop = (id: string) => {
    kept = kept.filter((one) => one.id !== id);
    onChange();
  };
  /** Sends one at a time, in order. */
  async function run(): Promise<void> {
    for (let next = waiting(); next !== undefined && !isClosed; next = waiting()) {
      const { takenMs: _, typed, ...saying } = next;
      try {
        await conversation.say(saying);
        kept = kept.map((one) => (one.id === saying.id ? { ...one, takenMs: Date.now() } : one));
      } catch (problem) {
        if (isTransient(problem)) {
          timer = setTimeout(flush, retryMs);
          return;
        }
        drop(saying.id);
        if (!isClosed) onRefused(typed, problem);
      }
    }
  }
  const waiting = () => kept.find(({ takenMs }) => takenMs === undefined);
  const flush = () => {
    if (isSending || isClosed) return;
    clearTimeout(timer);
    isSending = true;
    void run().finally(() => {
      isSending = false;
      onChange();
    });
  };
  return {
    /** Kept until it is in the log. `typed` is the input that would send it again. */
    say(words: OutgoingText, typed = words.text): void {
      const id = `de:${randomUUID()}`;
      said = [...said, id].slice(-saidMax);
      kept = [...kept, { ...words, typed, id, at: new Date().toISOString() }];
      onChange();
      flush();
    },
    /** The utterance is in the log, or was refused there. */
    confirm(id: string): void {
      if (kept.some((one) => one.id === id)) drop(id);
    },
    /** The convener changed: utterances that waited for it return to the input field. */
    convenerChanged(): void {
      for (const { id, typed, takenMs } of kept) {
        if (takenMs === undefined) continue;
        drop(id);
        onRefused(typed, new Error("the convener changed before it was delivered"));
      }
    },
    /** Whether this chat sent it recently. */
    isOwn: (id: string) => said.includes(id),
    /** Sends again; call after a reconnect. */
    flush,
    unsent: (): readonly Unsent[] => kept.filter(({ takenMs = Date.now() }) => Date.now() - takenMs < shownMaxMs),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function isTransient(problem: unknown): boolean {
  return problem instanceof FloorError && problem.isTransient;
}
