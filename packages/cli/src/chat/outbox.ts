import { randomUUID } from "node:crypto";
import { FloorError } from "../errors.ts";
import type { ConversationClient, OutgoingUtterance } from "../floor/conversation-client.ts";

type OutgoingText = Omit<OutgoingUtterance, "id" | "at">;
/** `takenMs`: when the floor took it. */
type Unsent = OutgoingUtterance & { typed: string; takenMs?: number };

export type Outbox = {
  /** Kept until it stands in the log. `typed` is what to type to say the same again. */
  say(words: OutgoingText, typed?: string): void;
  /** It stands in the log, or was refused there. */
  confirm(id: string): void;
  /** Whoever convened does so no longer: what it was thinking about goes back to whoever typed it. */
  convenerChanged(): void;
  /** It was said here, lately. */
  isOwn(id: string): boolean;
  /** The floor is there again. */
  flush(): void;
  unsent(): readonly Unsent[];
  close(): void;
};

type Options = {
  conversation: Pick<ConversationClient, "say">;
  onChange: () => void;
  /** The floor will not have it: it goes back to whoever typed it. */
  onRefused: (typed: string, problem: unknown) => void;
};

const saidMax = 100;
const retryMs = 2_000;
/** So long the log may take to show what the floor has taken: a convener may think about it. */
const shownMaxMs = 60_000;

/** What a person said, until it is seen in the log. It is sent again after any cut: by its id the floor takes it once. */
export function createOutbox({ conversation, onChange, onRefused }: Options): Outbox {
  let kept: readonly Unsent[] = [];
  let said: readonly string[] = [];
  let isSending = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drop = (id: string) => {
    kept = kept.filter((one) => one.id !== id);
    onChange();
  };
  /** One after the other, in the order in which they were said. */
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
    say(words, typed = words.text) {
      const id = `de:${randomUUID()}`;
      said = [...said, id].slice(-saidMax);
      kept = [...kept, { ...words, typed, id, at: new Date().toISOString() }];
      onChange();
      flush();
    },
    confirm: (id) => kept.some((one) => one.id === id) && drop(id),
    convenerChanged() {
      for (const { id, typed, takenMs } of kept) {
        if (takenMs === undefined) continue;
        drop(id);
        onRefused(typed, new Error("the convener changed before others heard it"));
      }
    },
    isOwn: (id) => said.includes(id),
    flush,
    unsent: () => kept.filter(({ takenMs = Date.now() }) => Date.now() - takenMs < shownMaxMs),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function isTransient(problem: unknown): boolean {
  return problem instanceof FloorError && problem.isTransient;
}
